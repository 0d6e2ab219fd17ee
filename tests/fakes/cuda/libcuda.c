/* A fake libcuda with the checkpoint calls only: each process has a state, and calls are refused
 * out of turn as CUDA refuses them. Tests say what fails or hangs through `fake_*`. */
#include <pthread.h>
#include <string.h>

enum { RUNNING, LOCKED, CHECKPOINTED, FAILED };
enum { OK = 0, INVALID_VALUE = 1, ILLEGAL_STATE = 401, NOT_SUPPORTED = 801, TIMEOUT = 909,
       NOT_INITIALIZED = 3, NOT_READY = 600 };
enum { PROCESSES = 16 };

struct lock_args {
    unsigned timeout_ms, reserved0;
    unsigned long long reserved1[7];
};

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int pids[PROCESSES], states[PROCESSES], count;
static char failing[32], hanging[32];
static int failing_pid, failing_code, breaks;

void fake_reset(void) {
    pthread_mutex_lock(&guard);
    count = failing_pid = breaks = 0;
    failing[0] = hanging[0] = 0;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&guard);
}

void fake_process(int pid) {
    pids[count] = pid;
    states[count++] = RUNNING;
}

/* Let a call fail for a process; with `broken`, the process is lost by it. */
void fake_fail(const char *call, int pid, int code, int broken) {
    strncpy(failing, call, sizeof failing - 1);
    failing_pid = pid;
    failing_code = code;
    breaks = broken;
}

void fake_hang(const char *call) { strncpy(hanging, call, sizeof hanging - 1); }

static int move(const char *call, int pid, int from, int to) {
    int code = NOT_INITIALIZED; /* as the driver says of a process without CUDA */
    pthread_mutex_lock(&guard);
    while (strcmp(hanging, call) == 0) pthread_cond_wait(&changed, &guard);
    for (int i = 0; i < count; i++) {
        if (pids[i] != pid) continue;
        if (strcmp(failing, call) == 0 && failing_pid == pid) {
            if (breaks) states[i] = FAILED;
            code = failing_code;
        } else if (states[i] != from) {
            code = ILLEGAL_STATE;
        } else {
            states[i] = to;
            code = OK;
        }
    }
    pthread_mutex_unlock(&guard);
    return code;
}

int cuCheckpointProcessLock(int pid, const struct lock_args *args) {
    if (args == NULL || args->timeout_ms == 0) return INVALID_VALUE;
    return move("Lock", pid, RUNNING, LOCKED);
}
int cuCheckpointProcessCheckpoint(int pid, const void *args) {
    (void)args;
    return move("Checkpoint", pid, LOCKED, CHECKPOINTED);
}
int cuCheckpointProcessRestore(int pid, const void *args) {
    (void)args;
    return move("Restore", pid, CHECKPOINTED, LOCKED);
}
int cuCheckpointProcessUnlock(int pid, const void *args) {
    (void)args;
    return move("Unlock", pid, LOCKED, RUNNING);
}
int cuCheckpointProcessGetState(int pid, int *state) {
    for (int i = 0; i < count; i++)
        if (pids[i] == pid) {
            *state = states[i];
            return OK;
        }
    return NOT_INITIALIZED;
}
int cuGetErrorName(int code, const char **name) {
    *name = code == NOT_SUPPORTED    ? "CUDA_ERROR_NOT_SUPPORTED"
            : code == TIMEOUT        ? "CUDA_ERROR_TIMEOUT"
            : code == ILLEGAL_STATE  ? "CUDA_ERROR_ILLEGAL_STATE"
            : code == INVALID_VALUE  ? "CUDA_ERROR_INVALID_VALUE"
            : code == NOT_READY      ? "CUDA_ERROR_NOT_READY"
            : code == NOT_INITIALIZED ? "CUDA_ERROR_NOT_INITIALIZED"
                                     : NULL;
    return *name == NULL ? INVALID_VALUE : OK;
}
