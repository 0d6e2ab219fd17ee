/* MIG, and memory limits by control group: what callers may set. Lines of a card:
 *
 * mig_profile INDEX ID NAME SLICES MEMORY_MIB INSTANCES PROCESSORS SIZE START[,START...]
 * mig_mode 0|1
 * instance ID PROFILE_ID START        instance_gone ID
 * compute INSTANCE ID                 compute_gone INSTANCE ID
 * limit NAMESPACE SOFT HARD           (bytes; only cards with `memory_limits 1`)
 * limit_used NAMESPACE BYTES
 */
#define _GNU_SOURCE
#include "state.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INSTANCES_MAX = 16 };

typedef unsigned long long u64;

struct profile {
    unsigned index, id, slices, memory_mib, instances, processors, size;
    unsigned starts[INSTANCES_MAX];
    unsigned start_count;
    char name[96];
};

struct placement {
    unsigned start, size;
};

struct instance {
    unsigned id, start;
    struct profile profile;
};

static int parsed_profile(const char *text, struct profile *profile) {
    char starts[128];
    memset(profile, 0, sizeof *profile);
    int parts = sscanf(text, "%u %u %95s %u %u %u %u %u %127s", &profile->index, &profile->id,
                       profile->name, &profile->slices, &profile->memory_mib, &profile->instances,
                       &profile->processors, &profile->size, starts);
    if (parts != 9) return 0;
    char *rest = starts, *part;
    while ((part = strsep(&rest, ",")) != NULL && profile->start_count < INSTANCES_MAX)
        profile->starts[profile->start_count++] = (unsigned)strtoul(part, NULL, 10);
    return 1;
}

static int profile_of(int card, unsigned number_wanted, int is_index, struct profile *profile) {
    const char *text;
    for (int nth = 0; (text = line(card, "mig_profile", nth)) != NULL; nth++)
        if (parsed_profile(text, profile) &&
            (is_index ? profile->index : profile->id) == number_wanted)
            return 1;
    return 0;
}

static int is_gone(int card, const char *key, unsigned first, int second) {
    const char *text;
    unsigned one, other;
    for (int nth = 0; (text = line(card, key, nth)) != NULL; nth++) {
        int parts = sscanf(text, "%u %u", &one, &other);
        if (one == first && (second < 0 || (parts == 2 && other == (unsigned)second))) return 1;
    }
    return 0;
}

static unsigned instances_of(int card, struct instance found[INSTANCES_MAX]) {
    const char *text;
    unsigned count = 0, profile;
    for (int nth = 0; (text = line(card, "instance", nth)) != NULL && count < INSTANCES_MAX; nth++) {
        struct instance one;
        if (sscanf(text, "%u %u %u", &one.id, &profile, &one.start) != 3) continue;
        if (is_gone(card, "instance_gone", one.id, -1)) continue;
        if (profile_of(card, profile, 0, &one.profile)) found[count++] = one;
    }
    return count;
}

static int instance_by_id(int card, unsigned id, struct instance *instance) {
    struct instance all[INSTANCES_MAX];
    unsigned count = instances_of(card, all);
    for (unsigned i = 0; i < count; i++)
        if (all[i].id == id) {
            *instance = all[i];
            return 1;
        }
    return 0;
}

static struct device *instance_handle(const struct device *card, unsigned id) {
    return device_of(card->uuid, "instance", (int)id, 0);
}

int nvmlDeviceGetMigMode(const struct device *device, unsigned *current, unsigned *pending) {
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    if (!has(card, "mig_profile")) return end(NOT_SUPPORTED);
    *current = *pending = (unsigned)number(card, "mig_mode", 0);
    return end(OK);
}

int nvmlDeviceSetMigMode(const struct device *device, unsigned mode, unsigned *status) {
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    struct instance all[INSTANCES_MAX];
    if (number(MACHINE, "unprivileged", 0)) return end(NO_PERMISSION);
    if (!has(card, "mig_profile")) return end(NOT_SUPPORTED);
    if (has(card, "process") || instances_of(card, all) > 0) return end(IN_USE);
    set(card, "mig_mode %u", mode);
    *status = OK;
    return end(OK);
}

struct profile_info {
    unsigned id, is_p2p, slices, instances, processors, copy, decoders, encoders, jpeg, ofa;
    u64 memory_mib;
};

struct profile_info_v2 {
    unsigned version, id, is_p2p, slices, instances, processors, copy, decoders, encoders, jpeg, ofa;
    u64 memory_mib;
    char name[96];
};

int nvmlDeviceGetGpuInstanceProfileInfo(const struct device *device, unsigned index,
                                        struct profile_info *info) {
    struct profile profile;
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    if (!profile_of(card, index, 1, &profile)) return end(NOT_SUPPORTED);
    memset(info, 0, sizeof *info);
    info->id = profile.id;
    info->slices = profile.slices;
    info->instances = profile.instances;
    info->processors = profile.processors;
    info->memory_mib = profile.memory_mib;
    return end(OK);
}

int nvmlDeviceGetGpuInstanceProfileInfoV(const struct device *device, unsigned index,
                                         struct profile_info_v2 *info) {
    struct profile profile;
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    if (info->version != 0x02000098) return end(VERSION_MISMATCH);
    if (!profile_of(card, index, 1, &profile)) return end(NOT_SUPPORTED);
    memset(info, 0, sizeof *info);
    info->version = 0x02000098;
    info->id = profile.id;
    info->slices = profile.slices;
    info->instances = profile.instances;
    info->processors = profile.processors;
    info->memory_mib = profile.memory_mib;
    snprintf(info->name, sizeof info->name, "MIG %.80s", profile.name);
    return end(OK);
}

static int is_free(const struct instance *all, unsigned count, unsigned start, unsigned size) {
    for (unsigned i = 0; i < count; i++)
        if (start < all[i].start + all[i].profile.size && all[i].start < start + size) return 0;
    return 1;
}

int nvmlDeviceGetGpuInstancePossiblePlacements_v2(const struct device *device, unsigned id,
                                                  struct placement *found, unsigned *count) {
    struct profile profile;
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    if (!profile_of(card, id, 0, &profile)) return end(NOT_SUPPORTED);
    for (unsigned i = 0; found != NULL && i < profile.start_count; i++) {
        found[i].start = profile.starts[i];
        found[i].size = profile.size;
    }
    *count = profile.start_count;
    return end(OK);
}

int nvmlDeviceGetGpuInstanceRemainingCapacity(const struct device *device, unsigned id,
                                              unsigned *count) {
    struct profile profile;
    struct instance all[INSTANCES_MAX];
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    if (!number(card, "mig_mode", 0) || !profile_of(card, id, 0, &profile))
        return end(NOT_SUPPORTED);
    unsigned taken = instances_of(card, all), after = 0;
    *count = 0;
    for (unsigned i = 0; i < profile.start_count; i++)
        if (profile.starts[i] >= after && is_free(all, taken, profile.starts[i], profile.size)) {
            after = profile.starts[i] + profile.size;
            ++*count;
        }
    return end(OK);
}

static int create(const char *function, const struct device *device, unsigned id,
                  const struct placement *placement, struct device **made) {
    struct profile profile;
    struct instance all[INSTANCES_MAX];
    int card, code = begin(function, device, &card);
    if (code) return code;
    if (number(MACHINE, "unprivileged", 0)) return end(NO_PERMISSION);
    if (!number(card, "mig_mode", 0) || !profile_of(card, id, 0, &profile))
        return end(NOT_SUPPORTED);
    unsigned count = instances_of(card, all), fresh = 1;
    while (line(card, "instance", (int)fresh - 1) != NULL) fresh++;
    for (unsigned i = 0; i < profile.start_count; i++) {
        unsigned start = profile.starts[i];
        if (placement != NULL && placement->start != start) continue;
        if (!is_free(all, count, start, profile.size)) continue;
        set(card, "instance %u %u %u", fresh, id, start);
        *made = instance_handle(device, fresh);
        return end(OK);
    }
    return end(INSUFFICIENT_RESOURCES);
}

int nvmlDeviceCreateGpuInstance(const struct device *device, unsigned id, struct device **made) {
    return create(__func__, device, id, NULL, made);
}

int nvmlDeviceCreateGpuInstanceWithPlacement(const struct device *device, unsigned id,
                                             const struct placement *placement,
                                             struct device **made) {
    return create(__func__, device, id, placement, made);
}

int nvmlDeviceGetGpuInstances(const struct device *device, unsigned id, struct device **found,
                              unsigned *count) {
    struct instance all[INSTANCES_MAX];
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    if (!number(card, "mig_mode", 0)) return end(NOT_SUPPORTED);
    unsigned total = instances_of(card, all), matching = 0;
    for (unsigned i = 0; i < total; i++)
        if (all[i].profile.id == id) found[matching++] = instance_handle(device, all[i].id);
    *count = matching;
    return end(OK);
}

int nvmlDeviceGetGpuInstanceById(const struct device *device, unsigned id, struct device **found) {
    struct instance instance;
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    if (!instance_by_id(card, id, &instance)) return end(NOT_FOUND);
    *found = instance_handle(device, id);
    return end(OK);
}

struct instance_info {
    const struct device *device;
    unsigned id, profile;
    struct placement placement;
};

int nvmlGpuInstanceGetInfo(const struct device *handle, struct instance_info *info) {
    struct instance instance;
    int card, code = begin(__func__, handle, &card);
    if (code) return code;
    if (!instance_by_id(card, (unsigned)handle->instance, &instance)) return end(NOT_FOUND);
    info->device = device_of(handle->uuid, "", 0, 0);
    info->id = instance.id;
    info->profile = instance.profile.id;
    info->placement.start = instance.start;
    info->placement.size = instance.profile.size;
    return end(OK);
}

static int compute_ids(int card, unsigned instance, unsigned found[INSTANCES_MAX]) {
    const char *text;
    unsigned owner, id;
    int count = 0;
    for (int nth = 0; (text = line(card, "compute", nth)) != NULL && count < INSTANCES_MAX; nth++)
        if (sscanf(text, "%u %u", &owner, &id) == 2 && owner == instance &&
            !is_gone(card, "compute_gone", owner, (int)id))
            found[count++] = id;
    return count;
}

int nvmlGpuInstanceDestroy(const struct device *handle) {
    struct instance instance;
    unsigned ids[INSTANCES_MAX];
    int card, code = begin(__func__, handle, &card);
    if (code) return code;
    if (!instance_by_id(card, (unsigned)handle->instance, &instance)) return end(NOT_FOUND);
    if (compute_ids(card, instance.id, ids) > 0) return end(IN_USE);
    set(card, "instance_gone %u", instance.id);
    return end(OK);
}

struct compute_profile {
    unsigned id, slices, instances, processors, copy, decoders, encoders, jpeg, ofa;
};

/* Only the profile that covers the whole instance; its index follows from the slices. */
int nvmlGpuInstanceGetComputeInstanceProfileInfo(const struct device *handle, unsigned index,
                                                 unsigned engine, struct compute_profile *info) {
    static const unsigned slices[] = {1, 2, 3, 4, 7, 8, 6};
    struct instance instance;
    (void)engine;
    int card, code = begin(__func__, handle, &card);
    if (code) return code;
    if (!instance_by_id(card, (unsigned)handle->instance, &instance)) return end(NOT_FOUND);
    if (index >= sizeof slices / sizeof *slices || slices[index] != instance.profile.slices)
        return end(NOT_SUPPORTED);
    memset(info, 0, sizeof *info);
    info->id = index;
    info->slices = instance.profile.slices;
    info->instances = 1;
    info->processors = instance.profile.processors;
    return end(OK);
}

int nvmlGpuInstanceCreateComputeInstance(const struct device *handle, unsigned profile,
                                         struct device **made) {
    struct instance instance;
    unsigned ids[INSTANCES_MAX];
    (void)profile;
    int card, code = begin(__func__, handle, &card);
    if (code) return code;
    if (!instance_by_id(card, (unsigned)handle->instance, &instance)) return end(NOT_FOUND);
    if (compute_ids(card, instance.id, ids) > 0) return end(INSUFFICIENT_RESOURCES);
    int fresh = 0;
    while (line(card, "compute", fresh) != NULL) fresh++;
    set(card, "compute %u %d", instance.id, fresh);
    *made = device_of(handle->uuid, "compute", handle->instance, fresh);
    return end(OK);
}

int nvmlGpuInstanceGetComputeInstances(const struct device *handle, unsigned profile,
                                       struct device **found, unsigned *count) {
    unsigned ids[INSTANCES_MAX];
    (void)profile;
    int card, code = begin(__func__, handle, &card);
    if (code) return code;
    *count = (unsigned)compute_ids(card, (unsigned)handle->instance, ids);
    for (unsigned i = 0; i < *count; i++)
        found[i] = device_of(handle->uuid, "compute", handle->instance, (int)ids[i]);
    return end(OK);
}

int nvmlComputeInstanceDestroy(const struct device *handle) {
    int card, code = begin(__func__, handle, &card);
    if (code) return code;
    set(card, "compute_gone %d %d", handle->instance, handle->compute);
    return end(OK);
}

static void name_partition(const struct device *card, unsigned start, unsigned profile, char *name) {
    u64 hash[2] = {14695981039346656037ULL, 1099511628211ULL};
    char text[160];
    snprintf(text, sizeof text, "%s/%u/%u", card->uuid, start, profile);
    for (int half = 0; half < 2; half++)
        for (const char *c = text; *c; c++) hash[half] = (hash[half] ^ (u64)*c) * 1099511628211ULL;
    snprintf(name, 96, "MIG-%08llx-%04llx-%04llx-%04llx-%012llx", hash[0] >> 32,
             (hash[0] >> 16) & 0xffff, hash[0] & 0xffff, hash[1] >> 48, hash[1] & 0xffffffffffffULL);
}

int nvmlDeviceGetMaxMigDeviceCount(const struct device *device, unsigned *count) {
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    if (!has(card, "mig_profile")) return end(NOT_SUPPORTED);
    *count = 7;
    return end(OK);
}

int nvmlDeviceGetMigDeviceHandleByIndex(const struct device *device, unsigned index,
                                        struct device **found) {
    struct instance all[INSTANCES_MAX];
    unsigned ids[INSTANCES_MAX];
    char name[96];
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    if (!number(card, "mig_mode", 0)) return end(NOT_SUPPORTED);
    unsigned count = instances_of(card, all);
    for (unsigned i = 0; i < count; i++)
        if (compute_ids(card, all[i].id, ids) > 0 && index-- == 0) {
            name_partition(device, all[i].start, all[i].profile.id, name);
            *found = device_of(device->uuid, name, (int)all[i].id, (int)ids[0]);
            return end(OK);
        }
    return end(NOT_FOUND);
}

int nvmlDeviceIsMigDeviceHandle(const struct device *device, unsigned *is_mig) {
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    *is_mig = device->mig[0] != '\0';
    return end(OK);
}

int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(const struct device *device, struct device **card_) {
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    *card_ = device_of(device->uuid, "", 0, 0);
    return end(OK);
}

int nvmlDeviceGetGpuInstanceId(const struct device *device, unsigned *id) {
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    *id = (unsigned)device->instance;
    return end(device->mig[0] ? OK : NOT_SUPPORTED);
}

int nvmlDeviceGetComputeInstanceId(const struct device *device, unsigned *id) {
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    *id = (unsigned)device->compute;
    return end(device->mig[0] ? OK : NOT_SUPPORTED);
}

struct attributes {
    unsigned processors, copy, decoders, encoders, jpeg, ofa, instance_slices, compute_slices;
    u64 memory_mib;
};

int nvmlDeviceGetAttributes_v2(const struct device *device, struct attributes *attributes) {
    struct instance instance;
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    if (!device->mig[0]) return end(NOT_SUPPORTED);
    if (!instance_by_id(card, (unsigned)device->instance, &instance)) return end(NOT_FOUND);
    memset(attributes, 0, sizeof *attributes);
    attributes->processors = instance.profile.processors;
    attributes->instance_slices = attributes->compute_slices = instance.profile.slices;
    attributes->memory_mib = instance.profile.memory_mib;
    return end(OK);
}

struct limits {
    const char *space;
    u64 soft, hard;
};

struct limits_read {
    const char *space;
    u64 soft, hard, used;
};

int nvmlDeviceSetMemoryLimits_v1(const struct device *device, const struct limits *limits) {
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    if (device->mig[0] || !number(card, "memory_limits", 0) || number(card, "mig_mode", 0))
        return end(NOT_SUPPORTED);
    if (number(MACHINE, "unprivileged", 0)) return end(NO_PERMISSION);
    if (limits->space == NULL || !limits->space[0] || limits->soft > limits->hard)
        return end(INVALID_ARGUMENT);
    if (!has(card, "limits_ignored"))
        set(card, "limit %s %llu %llu", limits->space, limits->soft, limits->hard);
    return end(OK);
}

int nvmlDeviceGetMemoryLimits_v1(const struct device *device, struct limits_read *limits) {
    int card, code = begin(__func__, device, &card);
    if (code) return code;
    char space[TEXT_MAX];
    const char *text;
    u64 soft, hard;
    if (device->mig[0] || !number(card, "memory_limits", 0)) return end(NOT_SUPPORTED);
    if (limits->space == NULL) return end(INVALID_ARGUMENT);
    limits->soft = limits->used = 0;
    limits->hard = ULLONG_MAX;
    for (int nth = 0; (text = line(card, "limit", nth)) != NULL; nth++)
        if (sscanf(text, "%511s %llu %llu", space, &soft, &hard) == 3 &&
            strcmp(space, limits->space) == 0) {
            limits->soft = soft;
            limits->hard = hard;
        }
    for (int nth = 0; (text = line(card, "limit_used", nth)) != NULL; nth++)
        if (sscanf(text, "%511s %llu", space, &soft) == 2 && strcmp(space, limits->space) == 0)
            limits->used = soft;
    return end(OK);
}
