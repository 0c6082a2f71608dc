// Sets the wall clock of one process wrong by WRONG_CLOCK_SECONDS (LD_PRELOAD). Its monotonic clock
// and its timers stay as they are.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long offset_seconds;

__attribute__((constructor)) static void read_offset(void) {
    const char* text = getenv("WRONG_CLOCK_SECONDS");
    offset_seconds = text == NULL ? 0 : atol(text);
}

int clock_gettime(clockid_t clock, struct timespec* now) {
    const long failed = syscall(SYS_clock_gettime, clock, now);
    if (failed == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        now->tv_sec += offset_seconds;
    }
    return (int)failed;
}

time_t time(time_t* result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result != NULL) {
        *result = now.tv_sec;
    }
    return now.tv_sec;
}
