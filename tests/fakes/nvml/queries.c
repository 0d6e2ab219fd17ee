/* Questions about cards. A value that the state does not have is NOT_SUPPORTED, as on a real card
 * without that sensor; a function that is not here at all is FUNCTION_NOT_FOUND by the binding. */
#define _GNU_SOURCE
#include "state.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef unsigned long long u64;

static int copied(const char *text, char *buffer, unsigned size) {
    if (text == NULL) return NOT_SUPPORTED;
    if (strlen(text) >= size) return INSUFFICIENT_SIZE;
    strcpy(buffer, text);
    return OK;
}

static int told_text(const char *function, const struct device *device, const char *key,
                     char *buffer, unsigned size) {
    int card = MACHINE, code = begin(function, device, &card);
    return code ? code : end(copied(line(card, key, 0), buffer, size));
}

static int told(const char *function, const struct device *device, const char *key, unsigned *value) {
    int card = MACHINE, code = begin(function, device, &card);
    if (code) return code;
    if (device->mig[0] || !has(card, key)) return end(NOT_SUPPORTED);
    *value = (unsigned)number(card, key, 0);
    return end(OK);
}

const char *nvmlErrorString(int code) {
    switch (code) {
        case OK: return "Success";
        case UNINITIALIZED: return "Uninitialized";
        case INVALID_ARGUMENT: return "Invalid Argument";
        case NOT_SUPPORTED: return "Not Supported";
        case NO_PERMISSION: return "Insufficient Permissions";
        case NOT_FOUND: return "Not Found";
        case INSUFFICIENT_SIZE: return "Insufficient Size";
        case DRIVER_NOT_LOADED: return "Driver Not Loaded";
        case TIMED_OUT: return "Timeout";
        case GPU_IS_LOST: return "GPU is lost";
        case IN_USE: return "In use by another client";
        case INSUFFICIENT_RESOURCES: return "Insufficient Resources";
        default: return "Unknown Error";
    }
}

int nvmlSystemGetDriverVersion(char *buffer, unsigned size) {
    return told_text(__func__, NULL, "driver", buffer, size);
}

int nvmlSystemGetNVMLVersion(char *buffer, unsigned size) {
    return told_text(__func__, NULL, "nvml", buffer, size);
}

int nvmlSystemGetCudaDriverVersion_v2(int *version) {
    int card, code = begin(__func__, NULL, &card);
    if (code) return code;
    *version = (int)number(MACHINE, "cuda", 0);
    return end(OK);
}

int nvmlSystemGetCudaDriverVersion(int *version) { return nvmlSystemGetCudaDriverVersion_v2(version); }

int nvmlDeviceGetCount_v2(unsigned *count) {
    int card, code = begin(__func__, NULL, &card);
    if (code) return code;
    *count = (unsigned)cards();
    return end(OK);
}

static int found(int card, struct device **device) {
    if (card == MACHINE) return NOT_FOUND;
    if (number(card, "lost", 0)) return GPU_IS_LOST;
    *device = device_of(line(card, "uuid", 0), "", 0, 0);
    return *device == NULL ? UNKNOWN : OK;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, struct device **device) {
    int card, code = begin(__func__, NULL, &card);
    if (code) return code;
    return end((int)index < cards() ? found((int)index, device) : INVALID_ARGUMENT);
}

int nvmlDeviceGetHandleByUUID(const char *uuid, struct device **device) {
    int card, code = begin(__func__, NULL, &card);
    return code ? code : end(found(card_of(uuid), device));
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, struct device **device) {
    int card, code = begin(__func__, NULL, &card);
    if (code) return code;
    for (card = 0; card < cards(); card++) {
        const char *own = line(card, "pci", 0);
        if (own != NULL && strcasecmp(own, bus_id) == 0) return end(found(card, device));
    }
    return end(NOT_FOUND);
}

int nvmlDeviceGetIndex(const struct device *device, unsigned *index) {
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    *index = (unsigned)card;
    return end(OK);
}

int nvmlDeviceGetUUID(const struct device *device, char *buffer, unsigned size) {
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    return end(copied(device->mig[0] ? device->mig : device->uuid, buffer, size));
}

int nvmlDeviceGetName(const struct device *device, char *buffer, unsigned size) {
    return told_text(__func__, device, "name", buffer, size);
}

int nvmlDeviceGetSerial(const struct device *device, char *buffer, unsigned size) {
    return told_text(__func__, device, "serial", buffer, size);
}

int nvmlDeviceGetVbiosVersion(const struct device *device, char *buffer, unsigned size) {
    return told_text(__func__, device, "vbios", buffer, size);
}

int nvmlDeviceGetMinorNumber(const struct device *device, unsigned *minor) {
    return told(__func__, device, "minor", minor);
}

int nvmlDeviceGetPowerUsage(const struct device *device, unsigned *milliwatts) {
    return told(__func__, device, "power_mw", milliwatts);
}

int nvmlDeviceGetPowerManagementLimit(const struct device *device, unsigned *milliwatts) {
    return told(__func__, device, "power_limit_mw", milliwatts);
}

int nvmlDeviceGetPersistenceMode(const struct device *device, unsigned *mode) {
    return told(__func__, device, "persistence", mode);
}

int nvmlDeviceGetTemperature(const struct device *device, int sensor, unsigned *celsius) {
    if (sensor != 0) return INVALID_ARGUMENT;
    return told(__func__, device, "temperature_c", celsius);
}

int nvmlDeviceGetClockInfo(const struct device *device, int kind, unsigned *mhz) {
    static const char *const keys[] = {"clock_graphics", "clock_sm", "clock_memory", "clock_video"};
    if (kind < 0 || kind > 3) return INVALID_ARGUMENT;
    return told(__func__, device, keys[kind], mhz);
}

int nvmlDeviceGetTotalEnergyConsumption(const struct device *device, u64 *millijoules) {
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    if (device->mig[0] || !has(card, "energy_mj")) return end(NOT_SUPPORTED);
    *millijoules = number(card, "energy_mj", 0);
    return end(OK);
}

int nvmlDeviceGetCudaComputeCapability(const struct device *device, int *major, int *minor) {
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    const char *text = line(card, "capability", 0);
    return end(text != NULL && sscanf(text, "%d.%d", major, minor) == 2 ? OK : NOT_SUPPORTED);
}

int nvmlDeviceGetComputeMode(const struct device *device, unsigned *mode) {
    return told(__func__, device, "compute_mode", mode);
}

int nvmlDeviceSetComputeMode(const struct device *device, unsigned mode) {
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    if (number(MACHINE, "unprivileged", 0)) return end(NO_PERMISSION);
    set(card, "compute_mode %u", mode);
    return end(OK);
}

struct pci_info {
    char legacy[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
};

static int pci_told(const char *text, struct pci_info *info) {
    memset(info, 0, sizeof *info);
    if (text == NULL) return NOT_SUPPORTED;
    if (sscanf(text, "%x:%x:%x", &info->domain, &info->bus, &info->device) != 3) return UNKNOWN;
    snprintf(info->bus_id, sizeof info->bus_id, "%s", text);
    snprintf(info->legacy, sizeof info->legacy, "%04X:%02X:%02X.0", info->domain & 0xffff,
             info->bus & 0xff, info->device & 0xff);
    return OK;
}

int nvmlDeviceGetPciInfo_v3(const struct device *device, struct pci_info *info) {
    int card, code = begin(__func__, device, &card);
    return code ? code : end(pci_told(line(card, "pci", 0), info));
}

struct memory {
    u64 total, free, used;
};

struct memory_v2 {
    unsigned version;
    u64 total, reserved, free, used;
};

static u64 memory_of(const struct device *device, int card, const char *key) {
    char own[64];
    if (!device->mig[0]) return number(card, key, 0);
    snprintf(own, sizeof own, "%s_%d", key, device->instance);
    return number(card, own, 0);
}

int nvmlDeviceGetMemoryInfo_v2(const struct device *device, struct memory_v2 *memory) {
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    if (memory->version != 0x02000028) return end(VERSION_MISMATCH);
    if (number(card, "old_driver", 0)) return end(NOT_SUPPORTED);
    memory->total = memory_of(device, card, "memory_total");
    memory->reserved = memory_of(device, card, "memory_reserved");
    memory->used = memory_of(device, card, "memory_used");
    memory->free = memory->total - memory->used - memory->reserved;
    return end(OK);
}

int nvmlDeviceGetMemoryInfo(const struct device *device, struct memory *memory) {
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    memory->total = memory_of(device, card, "memory_total");
    memory->used = memory_of(device, card, "memory_used") + memory_of(device, card, "memory_reserved");
    memory->free = memory->total - memory->used;
    return end(OK);
}

int nvmlDeviceGetUtilizationRates(const struct device *device, unsigned rates[2]) {
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    if (device->mig[0] || !has(card, "utilisation") || number(card, "mig_mode", 0))
        return end(NOT_SUPPORTED);
    rates[0] = (unsigned)number(card, "utilisation", 0);
    rates[1] = (unsigned)number(card, "utilisation_memory", 0);
    return end(OK);
}

struct process {
    unsigned pid;
    u64 memory;
    unsigned instance, compute;
};

/* `process PID BYTES|- compute|graphics|mps [UTILISATION [INSTANCE]]` */
static int parsed(const char *text, struct process *process, char kind[16], unsigned *busy) {
    char bytes[32];
    *busy = 0;
    process->instance = process->compute = UINT_MAX;
    if (sscanf(text, "%u %31s %15s %u %u", &process->pid, bytes, kind, busy, &process->instance) < 3)
        return 0;
    process->memory = bytes[0] == '-' ? ULLONG_MAX : strtoull(bytes, NULL, 0);
    return 1;
}

static int processes(const char *function, const struct device *device, const char *wanted,
                     unsigned *count, struct process *found) {
    int card, code = begin(function, device, &card);
    if (code) return code;
    unsigned room = *count, number_found = 0, busy;
    const char *text;
    for (int nth = 0; (text = line(card, "process", nth)) != NULL; nth++) {
        struct process process;
        char kind[16];
        if (!parsed(text, &process, kind, &busy) || strcmp(kind, wanted) != 0) continue;
        if (device->mig[0] && (int)process.instance != device->instance) continue;
        if (found != NULL && number_found < room) found[number_found] = process;
        number_found++;
    }
    *count = number_found;
    return end(number_found > (found == NULL ? 0 : room) ? INSUFFICIENT_SIZE : OK);
}

int nvmlDeviceGetComputeRunningProcesses_v3(const struct device *device, unsigned *count,
                                            struct process *found) {
    return processes(__func__, device, "compute", count, found);
}

int nvmlDeviceGetGraphicsRunningProcesses_v3(const struct device *device, unsigned *count,
                                             struct process *found) {
    return processes(__func__, device, "graphics", count, found);
}

int nvmlDeviceGetMPSComputeRunningProcesses_v3(const struct device *device, unsigned *count,
                                               struct process *found) {
    return processes(__func__, device, "mps", count, found);
}

struct process_sample {
    unsigned pid;
    u64 at;
    unsigned sm, memory, encoder, decoder;
};

int nvmlDeviceGetProcessUtilization(const struct device *device, struct process_sample *samples,
                                    unsigned *count, u64 since) {
    (void)since;
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    unsigned room = *count, found = 0, busy;
    const char *text;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    for (int nth = 0; (text = line(card, "process", nth)) != NULL; nth++) {
        struct process process;
        char kind[16];
        if (!parsed(text, &process, kind, &busy)) continue;
        if (samples != NULL && found < room) {
            struct process_sample sample = {.pid = process.pid, .sm = busy};
            sample.at = (u64)now.tv_sec * 1000000 + (u64)now.tv_nsec / 1000;
            samples[found] = sample;
        }
        found++;
    }
    *count = found;
    if (found == 0) return end(NOT_FOUND);
    return end(samples == NULL || found > room ? INSUFFICIENT_SIZE : OK);
}

int nvmlDeviceGetEccMode(const struct device *device, unsigned *current, unsigned *pending) {
    int code = told(__func__, device, "ecc_mode", current);
    if (code == OK) *pending = *current;
    return code;
}

int nvmlDeviceGetTotalEccErrors(const struct device *device, int kind, int counter, u64 *errors) {
    static const char *const keys[2][2] = {
        {"ecc_corrected", "ecc_corrected_ever"},
        {"ecc_uncorrected", "ecc_uncorrected_ever"},
    };
    if (kind < 0 || kind > 1 || counter < 0 || counter > 1) return INVALID_ARGUMENT;
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    if (!number(card, "ecc_mode", 0)) return end(NOT_SUPPORTED);
    *errors = number(card, keys[kind][counter], 0);
    return end(OK);
}

/* `remapped CORRECTABLE UNCORRECTABLE PENDING FAILED` */
int nvmlDeviceGetRemappedRows(const struct device *device, unsigned *correctable,
                              unsigned *uncorrectable, unsigned *pending, unsigned *failed) {
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    const char *text = line(card, "remapped", 0);
    if (text == NULL) return end(NOT_SUPPORTED);
    int parts = sscanf(text, "%u %u %u %u", correctable, uncorrectable, pending, failed);
    return end(parts == 4 ? OK : UNKNOWN);
}

/* `nvlink LINK PCI|switch`: an active link and what is at its other end */
static const char *link_end(int card, unsigned wanted) {
    const char *text;
    for (int nth = 0; (text = line(card, "nvlink", nth)) != NULL; nth++)
        if ((unsigned)strtoul(text, NULL, 10) == wanted) return strchr(text, ' ') + 1;
    return NULL;
}

int nvmlDeviceGetNvLinkState(const struct device *device, unsigned link, unsigned *is_active) {
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    if (!has(card, "nvlink")) return end(NOT_SUPPORTED);
    if (link >= number(card, "nvlinks", 18)) return end(INVALID_ARGUMENT);
    *is_active = link_end(card, link) != NULL;
    return end(OK);
}

int nvmlDeviceGetNvLinkRemoteDeviceType(const struct device *device, unsigned link, unsigned *kind) {
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    const char *other = link_end(card, link);
    if (other == NULL) return end(NOT_SUPPORTED);
    *kind = strcmp(other, "switch") == 0 ? 2 : 0;
    return end(OK);
}

int nvmlDeviceGetNvLinkRemotePciInfo_v2(const struct device *device, unsigned link,
                                        struct pci_info *info) {
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    const char *other = link_end(card, link);
    return end(other == NULL ? NOT_SUPPORTED : pci_told(other, info));
}
