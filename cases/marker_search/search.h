#pragma once

/* The viewer's search, behind a C interface so that it can be built with another standard library
 * than its caller. */

#include <stddef.h>

/* Tries `count` markers on each line of the listing, in order, until each has matched once, as the
 * viewer of Halide 19 does with std::regex_search. `lines[i]` becomes the number of the line, from
 * 1, on which marker i matched first; 0: on none. With `filter` long lines are cut first
 * (regex_filter). A marker is plain text. */
typedef void SearchMarkers(const char* listing, size_t size, const char* const* markers, int count,
                           int filter, int* lines);
