// Time that is set wrong, or goes faster than it does.
// BERTH_TEST_CLOCK_AHEAD_S sets what people set: steady clocks, and all that waits by them, stay the kernel's.
// BERTH_TEST_PACE is a file that whole trees of programs map. It says from which moment and how much faster all
// clocks go, and all that waits by them; while it is empty, time is as it is. A new speed is written beside the
// one that counts, and then counts at once, so that no clock jumps.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

struct pace {
    int64_t speed;
    int64_t real[8];   // of each clock when this speed began, in nanoseconds
    int64_t shown[8];  // what programs saw of it then
};

struct paces {
    volatile int64_t current;
    struct pace of[2];
};

static const struct paces as_it_is = {0};
static const struct paces *paces = &as_it_is;

__attribute__((constructor)) static void map_pace(void) {
    const char *path = getenv("BERTH_TEST_PACE");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *found = mmap(NULL, sizeof(struct paces), PROT_READ, MAP_SHARED, file, 0);
    if (found != MAP_FAILED) paces = found;
    close(file);
}

static int64_t to_ns(const struct timespec *time) { return time->tv_sec * SECOND + time->tv_nsec; }

static struct timespec of_ns(int64_t ns) {
    return (struct timespec){.tv_sec = ns / SECOND, .tv_nsec = ns % SECOND};
}

// The clocks that are about the world; those of processors are left alone.
static int is_warped(clockid_t clock) {
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_REALTIME_COARSE ||
           clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_BOOTTIME;
}

static const struct pace *current(void) { return &paces->of[paces->current & 1]; }

static int64_t over(int64_t ns, int64_t speed) { return (ns + speed - 1) / speed; }

static int64_t shorter(int64_t ns) {
    const struct pace *pace = current();
    return pace->speed ? over(ns, pace->speed) : ns;
}

static struct timespec when(clockid_t clock, const struct timespec *at) {
    const struct pace *pace = current();
    if (!pace->speed) return *at;
    return of_ns(pace->real[clock & 7] + over(to_ns(at) - pace->shown[clock & 7], pace->speed));
}

static long ahead_s(clockid_t clock) {
    const char *set = getenv("BERTH_TEST_CLOCK_AHEAD_S");
    return set && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) ? atol(set) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int failed = (int)syscall(SYS_clock_gettime, clock, now);
    if (failed) return failed;
    const struct pace *pace = current();
    if (pace->speed && is_warped(clock))
        *now = of_ns(pace->shown[clock & 7] + (to_ns(now) - pace->real[clock & 7]) * pace->speed);
    now->tv_sec += ahead_s(clock);
    return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void)zone;
    struct timespec exact;
    if (clock_gettime(CLOCK_REALTIME, &exact)) return -1;
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *kept) {
    struct timespec exact;
    if (clock_gettime(CLOCK_REALTIME, &exact)) return (time_t)-1;
    if (kept) *kept = exact.tv_sec;
    return exact.tv_sec;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *asked, struct timespec *left) {
    struct timespec real =
        flags & TIMER_ABSTIME ? when(clock, asked) : of_ns(shorter(to_ns(asked)));
    int fault = REAL(clock_nanosleep)(clock, flags, &real, left);
    if (fault == EINTR && left && !(flags & TIMER_ABSTIME) && current()->speed)
        *left = of_ns(to_ns(left) * current()->speed);
    return fault;
}

int nanosleep(const struct timespec *asked, struct timespec *left) {
    int fault = clock_nanosleep(CLOCK_MONOTONIC, 0, asked, left);
    errno = fault ? fault : errno;
    return fault ? -1 : 0;
}

static int milliseconds(int asked) { return asked > 0 ? (int)(shorter(asked * 1000000LL) / 1000000 + 1) : asked; }

int poll(struct pollfd *files, nfds_t count, int timeout) {
    return REAL(poll)(files, count, milliseconds(timeout));
}

int epoll_wait(int epoll, struct epoll_event *events, int count, int timeout) {
    return REAL(epoll_wait)(epoll, events, count, milliseconds(timeout));
}

int epoll_pwait(int epoll, struct epoll_event *events, int count, int timeout, const sigset_t *mask) {
    return REAL(epoll_pwait)(epoll, events, count, milliseconds(timeout), mask);
}

int ppoll(struct pollfd *files, nfds_t count, const struct timespec *timeout, const sigset_t *mask) {
    struct timespec real = timeout ? of_ns(shorter(to_ns(timeout))) : (struct timespec){0};
    return REAL(ppoll)(files, count, timeout ? &real : NULL, mask);
}

int select(int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict odd,
           struct timeval *restrict timeout) {
    if (!timeout) return REAL(select)(count, in, out, odd, NULL);
    struct timespec real = of_ns(shorter(timeout->tv_sec * SECOND + timeout->tv_usec * 1000LL));
    return pselect(count, in, out, odd, &real, NULL);
}

int sem_timedwait(sem_t *restrict sem, const struct timespec *restrict until) {
    struct timespec real = when(CLOCK_REALTIME, until);
    return REAL(sem_timedwait)(sem, &real);
}

int sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *until) {
    struct timespec real = when(clock, until);
    return REAL(sem_clockwait)(sem, clock, &real);
}

// Condition variables of Python wait by the steady clock.
int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until) {
    if (!current()->speed) return REAL(pthread_cond_timedwait)(cond, mutex, until);
    struct timespec real = when(CLOCK_MONOTONIC, until);
    return REAL(pthread_cond_clockwait)(cond, mutex, CLOCK_MONOTONIC, &real);
}

int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *until) {
    struct timespec real = when(clock, until);
    return REAL(pthread_cond_clockwait)(cond, mutex, clock, &real);
}

// What a program starts with an environment of its own is in the same time.
static char **in_same_time(char *const given[]) {
    static const char *const kept[] = {"LD_PRELOAD", "BERTH_TEST_PACE"};
    size_t count = 0, added = 0;
    while (given && given[count]) count++;
    char **all = malloc((count + 3) * sizeof *all);
    if (!all) return (char **)given;
    for (size_t each = 0; each < count; each++) all[each] = given[each];
    for (size_t name = 0; name < 2; name++) {
        size_t length = strlen(kept[name]);
        const char *value = getenv(kept[name]);
        int has = 0;
        for (size_t each = 0; each < count; each++)
            has |= !strncmp(given[each], kept[name], length) && given[each][length] == '=';
        if (!value || has) continue;
        char *entry = malloc(length + strlen(value) + 2);
        if (!entry) continue;
        strcpy(stpcpy(stpcpy(entry, kept[name]), "="), value);
        all[count + added++] = entry;
    }
    all[count + added] = NULL;
    return all;
}

int execve(const char *path, char *const arguments[], char *const environment[]) {
    return REAL(execve)(path, arguments, in_same_time(environment));
}

int posix_spawn(pid_t *restrict child, const char *restrict path,
                const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *restrict attributes, char *const arguments[restrict],
                char *const environment[restrict]) {
    return REAL(posix_spawn)(child, path, actions, attributes, arguments, in_same_time(environment));
}
