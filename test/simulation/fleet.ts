import { type Agent, type EventStore, PawlError, runtime } from "@pawl/core";
import type { Engine } from "@pawl/core/store";
import { type Database, newDatabase } from "./database.ts";
import { type Dice, diceFor } from "./dice.ts";
import { type FleetEngine, newFleetEngine } from "./fleet-engine.ts";
import { type Machine, newMachine } from "./machine.ts";
import { newOutside, type Outside } from "./outside.ts";
import type { Plan } from "./plan.ts";
import { clerk } from "./story.ts";
import type { Timeline } from "./timeline.ts";
import { newUsers, type Users } from "./users.ts";
import { newWitness, type Witness } from "./witness.ts";

/** Machines over one database, their users, and who watches them. */
export interface Fleet {
  readonly seed: number;
  readonly plan: Plan;
  readonly timeline: Timeline;
  readonly database: Database;
  readonly engine: FleetEngine;
  readonly witness: Witness;
  readonly outside: Outside;
  readonly users: Users;
  /** All machines that were ever up. */
  readonly machines: Machine[];
  /** How far the store's clock is ahead of the timeline, in milliseconds. */
  storeOffsetMs: number;
  boot(): Machine;
}

export function newFleet(seed: number, plan: Plan, timeline: Timeline): Fleet {
  const isExclusive = plan.mode === "exclusive";
  const storeNow = () => Math.floor(timeline.now() + fleet.storeOffsetMs);
  const database = newDatabase(timeline, diceFor(seed, "network"), storeNow);
  const witness = newWitness(timeline, database.store, {
    storeNow,
    isExclusive,
    onStored: (event) => users.see(event),
  });
  const engine = newFleetEngine(timeline, diceFor(seed, "engine"), witness, plan.engine);
  const outside = newOutside(database.store, witness);
  const machines: Machine[] = [];
  const users = newUsers(timeline, diceFor(seed, "users"), witness, machines);
  const agent = clerk({ timeline, dice: diceFor(seed, "work"), outside, seed });
  const dice = diceFor(seed, "machines");
  const fleet: Fleet = {
    seed,
    plan,
    timeline,
    database,
    engine,
    witness,
    outside,
    users,
    machines,
    storeOffsetMs: 0,
    boot: () => {
      const machine = newMachine(timeline, `m${machines.length}`, {
        offsetMs: plan.fleetOffsetMs + dice.between(-plan.spreadMs, plan.spreadMs),
        drift: dice.between(-plan.drift, plan.drift),
      });
      const store = database.connect(machine, witness, { canOpen: dice.chance(0.6) });
      const own = plan.mode === "queue" || plan.mode === "exclusive" ? engine.connect(machine) : undefined;
      // twin: Q1 Q2 E2 F25 ends every run, does nothing twice and loses no wake, whatever happens to machines
      machine.pawl = newRuntime(fleet, machine, { store, agent, engine: own, dice });
      machines.push(machine);
      // Machines do not sweep in step.
      timeline.after(dice.between(0, plan.leaseTtlMs / 4), () => machine.pawl?.start(), machine);
      return machine;
    },
  };
  return fleet;
}

interface RuntimeParts {
  store: EventStore;
  agent: Agent<unknown, "clerk">;
  engine: Engine | undefined;
  dice: Dice;
}

function newRuntime(
  { plan, machines, witness }: Fleet,
  machine: Machine,
  { store, agent, engine, dice }: RuntimeParts,
) {
  let ids = 0;
  // One process in five only takes requests. The first machines always work.
  const isFront = engine !== undefined && machines.length > 2 && dice.chance(0.2);
  const concurrency = isFront ? 0 : plan.concurrency;
  return runtime({
    agents: [agent],
    store,
    testing: {
      clock: machine.clock,
      newId: () => {
        ids += 1;
        return `${machine.name}-${ids}`;
      },
    },
    times: {
      leaseTtlMs: plan.leaseTtlMs,
      pollMs: 5_000,
      ...(plan.handOverAfterMs !== undefined && { handOverAfterMs: plan.handOverAfterMs }),
    },
    ...(engine !== undefined && { engine }),
    ...(concurrency != null && { concurrency }),
    onError: (error) => {
      witness.note(`${machine.name} reports ${String(error)}`);
      if (!isOrdinary(error)) witness.fault(`${machine.name} reports ${(error as Error).stack}`);
    },
  });
}

/** Errors that come from the network alone. */
function isOrdinary(error: unknown): boolean {
  const codes = ["store_unavailable", "draining", "fenced"] as const;
  return codes.some((code) => PawlError.is(error, code)) || /engine is not available/.test(String(error));
}
