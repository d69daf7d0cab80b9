import type { PlantedBug } from "./build.ts";

const core = (file: string) => `packages/core/src/${file}`;

/** Mistakes in the code of leases and wakes, each of which the simulation has to find. */
export const plantedBugs: readonly PlantedBug[] = [
  {
    name: "an append does not check the epoch of its lease",
    seed: 2,
    file: core("stores/refusal.ts"),
    is: " && lease.epoch === leaseEpoch;",
    becomes: ";",
  },
  {
    name: "a lease can be taken half a second before it expires",
    seed: 3,
    file: core("stores/memory-session.ts"),
    is: "expires > now &&",
    becomes: "expires - 500 > now &&",
  },
  {
    name: "a lease can be renewed after another process has taken it",
    seed: 1,
    file: core("stores/memory-store.ts"),
    is: "const entry = entryOfLease(lease);\n      if (entry !== undefined) extendLease",
    becomes: "const entry = entries.get(lease.sessionId);\n      if (entry !== undefined) extendLease",
  },
  {
    name: "a lost lease that is released frees the session",
    seed: 5,
    file: core("stores/memory-store.ts"),
    is: "const entry = entryOfLease(lease);\n      if (entry !== undefined) entry.holder",
    becomes: "const entry = entries.get(lease.sessionId);\n      if (entry !== undefined) entry.holder",
  },
  {
    name: "all legs of a process hold their leases under one name",
    seed: 3,
    file: core("runtime/leg/lease-session.ts"),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a source text
    is: "return `${host.holder()}/${host.newId()}`",
    becomes: "return host.holder()",
  },
  {
    name: "the late result of a process that has lost its lease is accepted",
    seed: 33,
    file: core("runtime/log/writer.ts"),
    is: "      lease,\n      session: patchOf(events),",
    becomes:
      '      ...(events.some(({ type }) => type === "tool_result") ? {} : { lease }),\n      session: patchOf(events),',
  },
  {
    name: "a run ends, and its lease is released, at an event that the leg has not read",
    seed: 6,
    file: core("runtime/log/open-log.ts"),
    is: "writeEvents(writer, prepared, { afterSeq: seq, ...options })",
    becomes: "writeEvents(writer, prepared, options)",
  },
  {
    name: "a sweep judges by the clock of its process whether a lease has expired",
    seed: 16,
    file: core("runtime/sweep/sweep.ts"),
    is: "if (atWork.has(session.id) || !isDue(host, session.id)) continue;",
    becomes:
      "if (atWork.has(session.id) || !isDue(host, session.id)) continue;\n    if (Date.parse(session.updatedAt) + host.leaseTtlMs > host.clock.now()) continue;",
  },
  {
    name: "a sweep does not find runs whose time has come",
    seed: 3,
    file: core("stores/memory-session.ts"),
    is: "return wakeAt <= now || (updatedAt > now && wakeAt > updatedAt);",
    becomes: "return false;",
  },
  {
    name: "a session that another process has is woken again at once, and so in a loop",
    seed: 45,
    file: core("runtime/sweep/recover-session.ts"),
    is: "afterMs: Math.ceil(host.leaseTtlMs / 3) };",
    becomes: "afterMs: 0 };",
  },
];
