/* flock() is declared in posix.h. */
#pragma once
