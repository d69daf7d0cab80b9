import { type Dice, diceFor } from "./dice.ts";
import type { Fleet } from "./fleet.ts";
import type { Machine } from "./machine.ts";
import type { Trouble } from "./plan.ts";

/** How often each trouble came, and since when the fleet should work as promised. */
export interface Troubles {
  readonly counts: Partial<Record<Trouble, number>>;
  /**
   * Since when the store has answered and one machine, at least, has been well without a break, in
   * milliseconds of the timeline.
   */
  calmSince(): number;
}

/** Makes trouble until the plan's time is over. */
export function makeTrouble(fleet: Fleet): Troubles {
  const { plan, timeline, database, engine, machines, witness } = fleet;
  const dice = diceFor(fleet.seed, "trouble");
  const counts: Partial<Record<Trouble, number>> = {};
  const endsAt = timeline.now() + plan.troubleMs;
  const wellSince = new Map<Machine, number>();
  let storeWellSince = timeline.now();
  const up = () => machines.filter(({ isGone, isLeaving }) => !isGone && !isLeaving);
  const boot = () => wellSince.set(fleet.boot(), timeline.now());
  const rebootLater = (ms: number) => timeline.after(ms, boot);
  const unwell = (machine: Machine, untilMs: number) => {
    wellSince.set(machine, Math.max(wellSince.get(machine) ?? 0, untilMs));
  };
  const acts: Record<Trouble, (machine: Machine) => void> = {
    crash: (machine) => {
      machine.isGone = true;
      rebootLater(dice.between(100, 15_000));
    },
    freeze: (machine) => {
      machine.frozenUntil = timeline.now() + dice.between(500, 3.5 * plan.leaseTtlMs);
      unwell(machine, machine.frozenUntil);
    },
    deploy: (machine) => deploy(fleet, dice, machine, boot),
    cutOff: (machine) => {
      machine.cutOffUntil = timeline.now() + dice.between(500, 3 * plan.leaseTtlMs);
      unwell(machine, machine.cutOffUntil);
    },
    clockStep: (machine) => machine.shiftClock(dice.between(-30_000, 30_000)),
    storeDown: () => {
      database.downUntil = timeline.now() + dice.between(200, 15_000);
      storeWellSince = Math.max(storeWellSince, database.downUntil);
    },
    storeSlow: () => {
      database.slowUntil = timeline.now() + dice.between(1_000, 20_000);
      storeWellSince = Math.max(storeWellSince, database.slowUntil);
    },
    storeClockStep: () => {
      fleet.storeOffsetMs += dice.between(-3_000, 3_000);
      storeWellSince = Math.max(storeWellSince, timeline.now() + 3_000);
    },
    engineDown: () => {
      engine.downUntil = timeline.now() + dice.between(1_000, 40_000);
      storeWellSince = Math.max(storeWellSince, engine.downUntil);
    },
  };
  const plague = (trouble: Trouble) => {
    const ms = -Math.log(1 - dice.next()) * plan.every[trouble];
    if (timeline.now() + ms > endsAt) return;
    timeline.after(ms, () => {
      const all = up();
      if (all.length > 0) {
        const machine = dice.pick(all);
        counts[trouble] = (counts[trouble] ?? 0) + 1;
        witness.note(`TROUBLE ${trouble} at ${machine.name}`);
        acts[trouble](machine);
      }
      plague(trouble);
    });
  };
  for (let count = 0; count < plan.machines; count += 1) boot();
  for (const trouble of Object.keys(acts) as Trouble[]) plague(trouble);
  return {
    counts,
    calmSince: () => {
      const now = timeline.now();
      const times = up().map((machine) => wellSince.get(machine) ?? now);
      return Math.max(storeWellSince, Math.min(now, ...times.filter((time) => time <= now)));
    },
  };
}

/** Shuts a machine down, as a deploy does, and boots another one before or after that. */
function deploy({ timeline, witness }: Fleet, dice: Dice, machine: Machine, boot: () => void): void {
  const isRolling = dice.chance(0.5);
  const timeoutMs = dice.pick([0, 2_000, 20_000]);
  machine.isLeaving = true;
  if (isRolling) boot();
  const leave = () => {
    if (machine.isGone) return;
    witness.note(`${machine.name} has left`);
    machine.isGone = true;
    if (!isRolling) timeline.after(dice.between(100, 5_000), boot);
  };
  timeline.after(0, () => void machine.pawl?.drain({ timeoutMs }).then(leave), machine);
  timeline.after(45_000, leave);
}
