import type { PGlite } from "@electric-sql/pglite";
import { approval, memoryStore, type StoredEvent } from "@pawl/core";
import { pick, randomFrom, whole } from "@pawl/example-data-parts";
import { postgresReservations } from "@pawl/postgres";
import type { Reply } from "@pawl/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type Billed,
  billing,
  bodyOf,
  type Coaching,
  coaching,
  tokenOf,
} from "../../examples/rocket-league-coach/test/support/coaching.ts";
import { dyingStore } from "../../packages/core/test/support/stores.ts";
import { newPglite } from "../support/new-pglite.ts";
import { pause } from "../support/pause.ts";
import { soak } from "../support/soak.ts";

const COUNT = soak(6, 200);
const TTL_MS = 300;

let db: PGlite;
beforeAll(async () => {
  db = await newPglite();
}, 60_000);
afterAll(() => db.close());

const never = new Promise<never>(() => undefined);

/** Waits for work, which counts as open until then. */
async function counted<Name extends string, T>(
  open: Record<Name, number>,
  name: Name,
  work: Promise<T>,
): Promise<T> {
  open[name] += 1;
  return await work.finally(() => {
    open[name] -= 1;
  });
}

/** A model that thinks, calls one to three tools in a few turns, and answers; some of its requests fail. */
function randomModel(random: () => number): Billed {
  const calls: NonNullable<Reply["tools"]> = [
    { name: "save_coaching_note", input: { topic: "goals", text: "Plat" } },
    { name: "get_coaching_notes", input: {} },
    { name: "get_replay", input: { replay_id: "none" } },
    { name: "get_coaching_notes", input: { limit: -1 } },
  ];
  const turns = whole(random, 4);
  return billing({
    rules: (_request, { turn }) => {
      if (random() < 0.04) return { fault: { status: 529 } };
      if (random() < 0.04) return { thinking: "Hm.", text: "Half of an answer", fault: { cut: 6 } };
      const latencyMs = whole(random, 15);
      if (turn >= turns) return { thinking: "Enough.", text: "Take the small pads.", latencyMs };
      const tools = [1, 2, 3].slice(0, 1 + whole(random, 3)).map(() => pick(random, calls));
      return { thinking: "Look first.", tools, latencyMs };
    },
  });
}

interface Story {
  model: Billed;
  /** A front server on the same log and backend on which nothing fails. */
  healed(): Promise<Coaching>;
  user: string;
  events(of: Coaching): Promise<StoredEvent[]>;
}

/** Lets a user talk to the coach while the network fails, the front server dies, and clients leave. */
async function tell(seed: number): Promise<Story> {
  const random = randomFrom(String(seed));
  const user = `random${seed}`;
  const model = randomModel(random);
  let now = Date.now();
  const log = memoryStore({ now: () => now });
  let failing = pick(random, [0, 0, 0.1, 0.3]);
  let appends = pick(random, [0, 1]) * whole(random, 30);
  const dies = Promise.withResolvers<void>();
  const dying = dyingStore(
    log,
    () => {
      appends -= 1;
      if (appends === 0) dies.resolve();
      return appends === 0;
    },
    { isStored: false },
  );
  // What clients have asked and no front has answered, and what the backend works on.
  const open = { asked: 0, sent: 0 };
  const budgetOf = (tokens: number) => () => ({ tokens, period: "p" });
  const common = {
    db,
    model,
    ttlMs: TTL_MS,
    leaseTtlMs: 2_000,
    budgetOf: budgetOf(pick(random, [0, 30_000, 120_000, 1_000_000])),
    estimatedTokens: pick(random, [4_000, 100_000]),
    hooks: random() < 0.2 ? [approval({ when: ["save_coaching_note"] })] : [],
  };
  const of = await coaching({
    ...common,
    store: dying,
    // A process that is dead sends nothing more. What it has sent arrives, and nobody reads the answer.
    between: async (request, send) => {
      if (dying.dead) return await never;
      if (random() < failing) throw new Error("Connection refused");
      const response = await counted(open, "sent", send(request));
      if (dying.dead) return await never;
      if (random() < failing) throw new Error("Connection reset");
      return response;
    },
  });
  const orDead = async (work: Promise<unknown>) =>
    await Promise.race([work.catch(() => undefined), dies.promise]);
  let isOver = false;
  const say = async (body: object) => {
    if (isOver) return "";
    const leaving = new AbortController();
    const asked = of.chat({ message: "How am I doing?", ...body }, tokenOf(user), leaving.signal);
    const response = await counted(open, "asked", asked);
    const session_id = decodeURIComponent(response.headers.get("x-pawl-session") ?? "");
    if (session_id !== "" && random() < 0.2) {
      await pause(random() * 40, "the run is stopped at a random moment");
      await of.front.runtime.stop(session_id, { userId: user });
    }
    if (random() < 0.1) {
      await response.body?.cancel();
      leaving.abort();
    } else await response.text();
    return session_id;
  };
  const tabs = Array.from({ length: 1 + whole(random, 3) }, async (_, tab) => {
    const id = { client_message_id: `m${random() < 0.3 ? 0 : tab}` };
    const session_id = await say(id);
    if (session_id !== "" && random() < 0.5) await say({ session_id, message: "And then?" });
  });
  // A network that stays down would keep runs open for ever.
  void pause(1_500, "the network is bad for this time").then(() => {
    failing = 0;
  });
  await Promise.all(tabs.map((tab) => orDead(Promise.race([tab, pause(2_500, "no tab waits longer")]))));
  failing = 0;
  isOver = true;
  // Whatever still reserves is done before the budget is read. Clients of a dead front wait for ever.
  await expect.poll(() => open.sent + (dying.dead ? 0 : open.asked), { timeout: 20_000 }).toBe(0);
  return {
    model,
    user,
    healed: async () => {
      now += 60_000;
      return await coaching({ ...common, store: log });
    },
    events: async ({ store }) => {
      const sessions = await store.sessions.list({ userId: user, limit: 100 });
      const logs = await Promise.all(sessions.map(({ id }) => Array.fromAsync(store.read(id))));
      return logs.flat();
    },
  };
}

/** Returns the tokens that the log has: reported by the model, and estimated for answers that were lost. */
function tokensIn(events: readonly StoredEvent[]): { whole: number; estimated: number } {
  let whole = 0;
  let estimated = 0;
  for (const { type, data } of events) {
    if (type === "llm_response" && data.raw_response.stop_reason !== null) whole += data.tokens.total;
    else if (type === "llm_response" || type === "spending") estimated += data.tokens.total;
  }
  return { whole, estimated };
}

/** Repeats what a new process does at its start, until no run is open any more. */
async function recovered({ healed, user }: Story): Promise<{ of: Coaching; open: number }> {
  for (let tries = 1; ; tries += 1) {
    const of = await healed();
    const isOpen = async () => {
      const sessions = await of.store.sessions.list({ userId: user, limit: 100 });
      return sessions.filter(({ openRun, status }) => openRun !== null && status !== "suspended").length;
    };
    await of.front.runtime.sweep();
    for (let waits = 0; (await isOpen()) > 0 && waits < 40; waits += 1)
      await pause(25, "between two looks at the runs");
    const open = await isOpen();
    if (open === 0 || tries === 5) return { of, open };
  }
}

/**
 * Returns how many messages of the user's sessions the log and the backend's table have. Leaves out sessions
 * that still wait, and messages that no run has read: those that the user has cancelled.
 */
async function messagesIn({ store, call }: Coaching, user: string): Promise<{ log: number; table: number }> {
  const count = { log: 0, table: 0 };
  for (const { id, openRun } of await store.sessions.list({ userId: user, limit: 100 })) {
    if (openRun !== null) continue;
    const read = new Set<number>();
    const waiting = new Set<number>();
    for await (const { type, data, seq } of store.read(id)) {
      if (type === "user_message") (data.queued ? waiting : read).add(seq);
      const isRead = (one: number) =>
        (type === "llm_request" && one <= data.prompt.upto_seq) ||
        (type === "run_ended" && data.next?.messages.includes(one) === true);
      for (const one of waiting) if (isRead(one)) read.add(one);
    }
    count.log += read.size;
    const response = await call(`/sessions/${encodeURIComponent(id)}/messages`, undefined, tokenOf(user));
    const { messages } = await bodyOf(response);
    const said = messages.filter(({ role }) => role === "user").flatMap((one) => one.content_blocks);
    count.table += said.filter((block) => Object(block).type === "text").length;
  }
  return count;
}

/** Returns what all accounts of a user were charged, with that of the free preview, and what they hold. */
async function chargedTo(user: string): Promise<{ charged: number; held: number }> {
  const reservations = postgresReservations(db);
  const names = [`rl-coach/${user}/p`, `rl-coach/${user}/preview`];
  const balances = await Promise.all(names.map((name) => reservations.balance(name)));
  const sum = (of: "held" | "used") => balances.reduce((all, balance) => all + balance[of], 0);
  return { charged: sum("used"), held: sum("held") };
}

it(`X3 E10 ${COUNT} random stories charge each user what the log has, and what the model billed`, async () => {
  const differences: object[] = [];
  const count = { exact: 0, estimated: 0, tokens: 0, messages: 0 };
  for (let seed = 1; seed <= COUNT; seed += 1) {
    const story = await tell(seed);
    const { of, open } = await recovered(story);
    await pause(TTL_MS + 50, "reservations of dead processes expire");
    const { model, user } = story;
    const logged = await story.events(of);
    const { whole, estimated } = tokensIn(logged);
    await of.front.settle();
    const messages = await messagesIn(of, user);
    const { charged, held } = await chargedTo(user);
    const rejected = model.rejected.map(({ error }) => error);
    const isBill = estimated > 0 || charged === model.billed;
    const leaks = JSON.stringify(logged).includes(tokenOf(user));
    const isCharged = charged === whole + estimated && isBill && held === 0 && open === 0;
    const isRight = isCharged && messages.log === messages.table;
    if (!isRight || leaks || rejected.length > 0)
      differences.push({
        seed,
        charged,
        held,
        whole,
        estimated,
        billed: model.billed,
        open,
        leaks,
        rejected,
        messages,
      });
    count[estimated === 0 ? "exact" : "estimated"] += 1;
    count.tokens += charged;
    count.messages += messages.log;
  }
  soak.report(
    `${COUNT} stories, ${count.tokens} tokens: ${differences.length} differences. In ${count.exact} every answer arrived, and the budget equals the model's bill; in ${count.estimated} an answer was lost, and the log has its estimate. The backend has each of ${count.messages} messages once.`,
  );
  expect(differences).toEqual([]);
}, 0);
