// The work of linked.cpp, in a library of its own.
int step(int n) { return n + 1; }
