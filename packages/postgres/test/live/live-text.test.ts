import {
  agent,
  agentTool,
  jsonSchema,
  type ModelClient,
  type Runtime,
  runtime,
  type SessionEvent,
  type Tool,
  tool,
} from "@pawl/core";
import { advanceCursor, type Cursor, newView, reduceView } from "@pawl/core/view";
import { scriptedModel } from "@pawl/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { pause } from "../../../../test/support/pause.ts";
import { type TestDatabase, testDatabase } from "../../../../test/support/postgres.ts";
import { handModel } from "../../../sse/test/support/hand-model.ts";
import {
  type ListeningDatabase,
  migrate,
  type PostgresTail,
  type PostgresTailOptions,
  postgresStore,
  postgresTail,
} from "../../src/index.ts";

let database: TestDatabase;
const tails: PostgresTail[] = [];
const user = { userId: "u" };

beforeAll(async () => {
  database = await testDatabase();
  await migrate(database.pool());
}, 60_000);
afterEach(async () => {
  await Promise.all(tails.splice(0).map((tail) => tail.close()));
});
afterAll(() => database.drop());

const work = tool({
  name: "work",
  description: "Works.",
  input: jsonSchema({ type: "object" }),
  execute: async (_, { progress }) => {
    for (const percent of [30, 60]) {
      progress({ percent });
      await pause(200, "longer than live data is collected before it is written");
    }
    return "done";
  },
});

interface Process {
  pawl: Runtime;
  tail: PostgresTail;
  /** Statements on `agent_session_live`. */
  live: string[];
}

/** A process: a runtime of its own, over a pool and a tail of its own. */
async function boot(
  model: ModelClient = scriptedModel([]),
  options: PostgresTailOptions = {},
  wrap: (pool: ListeningDatabase) => ListeningDatabase = (pool) => pool,
  tools: readonly Tool[] = [work],
): Promise<Process> {
  const pool = database.pool();
  const live: string[] = [];
  const notify = {
    query: async (text: string, values?: unknown[]) => {
      if (text.includes("agent_session_live")) live.push(text.trim().split(/\s/, 1)[0] ?? "");
      return await pool.query(text, values);
    },
  };
  const tail = postgresTail(wrap(pool), { notify, liveEveryMs: 20, patienceMs: 500, ...options });
  tails.push(tail);
  await tail.ready;
  const tester = agent({ name: "tester", model, instructions: "Test.", tools });
  const pawl = runtime({
    agents: [tester],
    store: postgresStore(pool),
    tail,
    times: { pollMs: 1_000_000, leaseTtlMs: 60_000 },
  });
  return { pawl, tail, live };
}

/** A reader. It goes on reading until it is left. */
function reader({ pawl }: Process, sessionId: string, from: Cursor = { afterSeq: 0 }) {
  const seen: SessionEvent[] = [];
  const over = new AbortController();
  const state = { place: from };
  const done = (async () => {
    for await (const event of pawl.follow(sessionId, { ...from, signal: over.signal })) {
      seen.push(event);
      state.place = advanceCursor(state.place, event);
    }
  })();
  return {
    seen,
    text: () => seen.map((event) => (event.type === "text_delta" ? event.data.text : "")).join(""),
    types: () => seen.map(({ type }) => type),
    place: () => state.place,
    leave: async () => {
      over.abort();
      await done;
    },
  };
}

async function rows(): Promise<{ session_id: string; attempt: number; data: string }[]> {
  return (await database.pool().query("SELECT * FROM agent_session_live")).rows;
}

describe("E9 W4 live text in another process than the run's", () => {
  it("W4 text of a sub-agent is seen elsewhere as it is written, also by a reader that connects late", async () => {
    const model = handModel();
    const scribe = agent({ name: "scribe", model, instructions: "Write." });
    const worker = agentTool({ agent: scribe, description: "Writes.", shows: "text" });
    const script = [{ tools: [{ name: "scribe", input: { task: "Write." } }] }, { text: "Done." }];
    const here = await boot(scriptedModel(script), {}, undefined, [worker]);
    const there = await boot();
    await postgresStore(database.pool()).sessions.create({ id: "below", userId: "u", agent: "tester" });
    const early = reader(there, "below");
    const run = here.pawl.run("tester", { ...user, sessionId: "below", input: "Go" });
    const turn = await model.turn();
    turn.say("Once upon ");
    const said = ({ seen }: typeof early) =>
      seen.map((event) => (event.type === "agent_delta" ? event.data.text : "")).join("");
    await expect.poll(() => said(early), { timeout: 10_000 }).toBe("Once upon ");
    const late = reader(await boot(), "below", early.place());
    await expect.poll(() => said(late), { timeout: 10_000 }).toBe("Once upon ");
    turn.say("a time.");
    for (const one of [early, late])
      await expect.poll(() => said(one), { timeout: 10_000 }).toBe("Once upon a time.");
    turn.end();
    await run.result;
    await expect.poll(() => early.types().at(-1), { timeout: 10_000 }).toBe("run_ended");
    await Promise.all([early.leave(), late.leave()]);
    expect(early.text()).not.toContain("Once");
    await expect.poll(rows).toEqual([]);
  });

  it("W4 text, inputs of calls and progress are seen elsewhere as they happen, and the row is deleted with the run", async () => {
    const words = "This answer is written slowly, and read in another process. \u0000 🙂 \ud83d ";
    const here = await boot(
      scriptedModel([
        { thinking: "Hm.", text: words, tools: [{ name: "work", input: { a: 1 } }], delayPerEventMs: 60 },
        { text: "Done, after all.", delayPerEventMs: 60 },
      ]),
    );
    const there = await boot();
    await postgresStore(database.pool()).sessions.create({ id: "seen", userId: "u", agent: "tester" });
    const watching = reader(there, "seen");
    const run = here.pawl.run("tester", { ...user, sessionId: "seen", input: "Go" });
    await run.result;
    await expect.poll(() => watching.types().at(-1), { timeout: 10_000 }).toBe("run_ended");
    await watching.leave();
    const { messages } = await here.pawl.view("seen", user);
    expect(watching.seen.reduce(reduceView, newView()).messages).toEqual(messages);
    for (const type of ["thinking_delta", "text_delta", "tool_input_delta", "tool_progress"])
      expect(watching.types(), type).toContain(type);
    expect(watching.types().filter((type) => type === "text_delta").length).toBeGreaterThan(4);
    expect(words.startsWith(watching.text().slice(0, words.length - 20))).toBe(true);
    expect(watching.types()).not.toContain("attempt_restarted");
    await expect.poll(rows).toEqual([]);
  });

  it("W4 a reader that moves from one process to another, and back, resumes at the character", async () => {
    const model = handModel();
    const processes = [await boot(model), await boot()] as const;
    const run = processes[0].pawl.run("tester", { ...user, input: "Go" });
    const { sessionId } = await run.started;
    const turn = await model.turn();
    let place: Cursor = { afterSeq: 0 };
    const told: SessionEvent[] = [];
    let text = "";
    for (let n = 0; n < 12; n += 1) {
      const one = reader(processes[n % 2] as Process, sessionId, place);
      for (const word of ["one ", "two "]) {
        const before = text.length;
        turn.say(word);
        text += word;
        await expect
          .poll(() => one.place().live?.chars, { timeout: 5_000, interval: 5 })
          .toBe(before + word.length);
      }
      await one.leave();
      place = one.place();
      told.push(...one.seen);
    }
    turn.end();
    await run.result;
    expect(told.map((event) => (event.type === "text_delta" ? event.data.text : "")).join("")).toBe(text);
  });

  it("W4 nothing is written as long as nobody reads elsewhere", async () => {
    const model = handModel();
    const here = await boot(model);
    const alone = here.pawl.run("tester", { ...user, input: "Go" });
    const first = await model.turn();
    first.say("Nobody reads this but we.");
    first.end();
    const { sessionId } = await alone.result;
    expect(here.live).toEqual([]);
    const there = await boot();
    const watching = reader(there, sessionId);
    await expect.poll(() => watching.seen.length).toBeGreaterThan(0);
    const watched = here.pawl.run("tester", { ...user, sessionId, input: "Again" });
    const second = await model.turn();
    // The writer hears of the reader at some moment of the answer.
    const written = () => {
      second.say("More. ");
      return here.live;
    };
    await expect.poll(written).toContain("INSERT");
    second.end();
    await watched.result;
    await watching.leave();
  });

  it("W4 readers poll if wake-ups do not arrive, as through a pooler", async () => {
    const model = handModel();
    const deaf = (pool: ListeningDatabase): ListeningDatabase => ({
      query: (text, values) => (pool as { query: typeof database.pool.prototype.query }).query(text, values),
      connect: async () => ({
        query: async () => ({ rows: [] }),
        on: () => undefined,
        release: () => undefined,
      }),
    });
    const quiet = { onError: () => undefined };
    const [here, there] = [await boot(model, quiet, deaf), await boot(undefined, quiet, deaf)];
    expect([here.tail.listening, there.tail.listening]).toEqual([false, false]);
    const run = here.pawl.run("tester", { ...user, input: "Go" });
    const { sessionId, afterSeq } = await run.started;
    const turn = await model.turn();
    turn.say("Polled");
    const watching = reader(there, sessionId, { afterSeq });
    await expect.poll(watching.text, { timeout: 10_000 }).toBe("Polled");
    turn.say(" text");
    await expect.poll(watching.text, { timeout: 10_000 }).toBe("Polled text");
    turn.end();
    await run.result;
    await watching.leave();
  }, 30_000);

  it("W4 a dead process's row is not shown once the log says that its attempt is over", async () => {
    const model = handModel();
    const [dead, here] = [await boot(model), await boot()];
    const watching = [reader(here, "stale")];
    const store = postgresStore(database.pool());
    await store.sessions.create({ id: "stale", userId: "u", agent: "tester" });
    const run = dead.pawl.run("tester", { ...user, sessionId: "stale", input: "Go" });
    void run.result.catch(() => undefined);
    const turn = await model.turn();
    turn.say("Lost text");
    await expect.poll(() => watching[0]?.text(), { timeout: 10_000 }).toBe("Lost text");
    const { lastSeq = 0 } = (await store.sessions.get("stale")) ?? {};
    // Before anybody knows that it is dead, its text is what there is.
    watching.push(reader(here, "stale", { afterSeq: lastSeq }));
    await expect.poll(() => watching[1]?.text(), { timeout: 10_000 }).toBe("Lost text");
    await store.append("stale", [{ type: "run_recovered", data: { run_id: "r" } } as never], {
      appendId: "r",
    });
    here.tail.stored("stale", lastSeq + 1);
    for (const { types } of watching)
      await expect.poll(types).toEqual(expect.arrayContaining(["attempt_restarted", "run_recovered"]));
    watching.push(reader(here, "stale"), reader(here, "stale", { afterSeq: lastSeq + 1 }));
    await expect.poll(() => watching[2]?.types()).toContain("run_recovered");
    turn.say(", and more of it");
    await expect.poll(async () => (await rows()).some(({ data }) => data.includes("more of it"))).toBe(true);
    await pause(200, "the text of the process that is gone must not come");
    expect(watching.map(({ text }) => text())).toEqual(["Lost text", "Lost text", "", ""]);
    for (const { leave } of watching) await leave();
  });

  it("W4 a missing table costs live text and nothing else", async () => {
    const errors: unknown[] = [];
    const here = await boot(scriptedModel([{ text: "Fine.", delayPerEventMs: 3 }]));
    const pool = database.pool();
    const broken = {
      query: (text: string, values?: unknown[]) =>
        text.includes("agent_session_live")
          ? Promise.reject(new Error("no such table"))
          : pool.query(text, values),
    };
    const there = await boot(undefined, { notify: broken, onError: (error) => errors.push(error) });
    await postgresStore(pool).sessions.create({ id: "old", userId: "u", agent: "tester" });
    const watching = reader(there, "old");
    await here.pawl.run("tester", { ...user, sessionId: "old", input: "Go" }).result;
    await expect.poll(() => watching.types().at(-1), { timeout: 10_000 }).toBe("run_ended");
    expect(String(errors[0])).toContain("no such table");
    await watching.leave();
  });
});

describe("E6 the table of live text", () => {
  it("E6 is for services only, and its row is deleted with the session", async () => {
    const pool = database.pool({ max: 1 });
    const name = `r${crypto.randomUUID().slice(0, 8)}`;
    for (const role of [`${name}_user`, `${name}_service`]) await pool.query(`CREATE ROLE ${role}`);
    await pool.query(`SELECT pawl_grant_users('${name}_user'), pawl_grant_service('${name}_service')`);
    const store = postgresStore(pool);
    await store.sessions.create({ id: "mine", userId: "u", agent: "a" });
    const write =
      "INSERT INTO agent_session_live (session_id, leg, version, attempt, data) VALUES ('mine', 'l', 1, 1, '{}')";
    const as = async (role: string, text: string) => {
      await pool.query("BEGIN");
      try {
        await pool.query(`SET LOCAL ROLE ${role}`);
        await pool.query(`SELECT set_config('request.jwt.claims', '{"sub":"u"}', true)`);
        return (await pool.query(text)).rows;
      } finally {
        await pool.query("COMMIT");
      }
    };
    await expect(as(`${name}_user`, write)).rejects.toMatchObject({ code: "42501" });
    await as(`${name}_service`, write);
    const read = "SELECT attempt FROM agent_session_live WHERE session_id = 'mine'";
    await expect(as(`${name}_user`, read)).rejects.toMatchObject({ code: "42501" });
    expect(await as(`${name}_service`, read)).toEqual([{ attempt: 1 }]);
    await pool.query("DELETE FROM agent_sessions WHERE id = 'mine'");
    expect(await rows()).toEqual([]);
    for (const role of [`${name}_user`, `${name}_service`])
      await pool.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });
});
