// Hand-written work of impact_test.py's benchmarks: a table behind code that other code reads,
// too, and a switch of which only the table changes.
#if CHANGE == 33
#define THIRD "8"
#else
#define THIRD "7"
#endif
#if CHANGE == 34
#define ORDER "1b - 9b, 2b - 9b, 2b - 9b, 1b - 9b"
#else
#define ORDER "1b - 9b, 2b - 9b, 1b - 9b, 2b - 9b"
#endif
asm(R"(
  .pushsection .text
  .globl by_hand
  .type first_by_hand, @function
first_by_hand:
  movq table_by_hand(%rip), %rax
  ret
  .size first_by_hand, .-first_by_hand
  .balign 64
  .type table_by_hand, @object
table_by_hand:
  .quad 3, 5, )" THIRD R"(, 11
  .size table_by_hand, .-table_by_hand
  .type by_hand, @function
by_hand:
  andq $1, %rdi
  leaq table_by_hand+8(%rip), %rax
  movq (%rax,%rdi,8), %rax
  ret
  .size by_hand, .-by_hand
  .globl rerouted
  .type rerouted, @function
rerouted:
  andq $3, %rdi
  leaq 9f(%rip), %rax
  movslq (%rax,%rdi,4), %rcx
  addq %rax, %rcx
  jmp *%rcx
1:
  movl $17, %eax
  ret
2:
  movl $23, %eax
  ret
  .size rerouted, .-rerouted
  .section .rodata
  .balign 4
9:
  .long )" ORDER R"(
  .popsection
)");
#undef THIRD
#undef ORDER
