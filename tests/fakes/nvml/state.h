/* What the fake library knows: lines of a file that a test writes, and what callers have set since.
 *
 * The file (BERTH_FAKE_NVML) has one `key value` a line. Lines before the first `card` are the
 * machine's; each `card` begins the next card, in the order of their indices. Callers' changes are
 * appended to `<file>.set` in the same form after `at <uuid>`, so that they outlive the process and
 * a test can read them. Both files are looked at before every answer.
 */
#ifndef BERTH_FAKE_NVML_STATE_H
#define BERTH_FAKE_NVML_STATE_H

#include <stddef.h>

enum { MACHINE = -1, TEXT_MAX = 512 };

enum {
    OK = 0,
    UNINITIALIZED = 1,
    INVALID_ARGUMENT = 2,
    NOT_SUPPORTED = 3,
    NO_PERMISSION = 4,
    NOT_FOUND = 6,
    INSUFFICIENT_SIZE = 7,
    DRIVER_NOT_LOADED = 9,
    TIMED_OUT = 10,
    GPU_IS_LOST = 15,
    IN_USE = 19,
    INSUFFICIENT_RESOURCES = 23,
    VERSION_MISMATCH = 25,
    UNKNOWN = 999,
};

/* A device: a card, or a MIG device of it when `mig` is not empty. Lives as long as the process. */
struct device {
    char uuid[96];
    char mig[96];
    int instance;
    int compute;
};

/* Take the lock and bring the state up to date; every function that begins must end. Waits while
 * the state says that the function hangs. `*card` is the card of the device, if one is given. On
 * anything but OK the lock is not held. */
int begin(const char *function, const struct device *device, int *card);
int end(int code);

/* The nth line (from 0) of a card, or of MACHINE, with this key; NULL when there are fewer. */
const char *line(int card, const char *key, int nth);
/* The number on the first such line; `fallback` when there is none. */
unsigned long long number(int card, const char *key, unsigned long long fallback);
int has(int card, const char *key);
int cards(void);
int card_of(const char *uuid);
/* Keep a change: it holds at once, here and in every other process. */
void set(int card, const char *format, ...) __attribute__((format(printf, 2, 3)));
struct device *device_of(const char *uuid, const char *mig, int instance, int compute);
/* Let others at the state while waiting a little. */
void pause_a_little(void);

#endif
