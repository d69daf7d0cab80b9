import {
  type Answer,
  canBeRetried,
  type EventStore,
  type Json,
  type ModelRequest,
  memoryStore,
  PawlError,
  type Question,
  type RunOptions,
  type RunResult,
  type RunStart,
  runtime,
  type SessionEvent,
  type StoredEvent,
  withRetry,
} from "@pawl/core";
import { foldView, type ViewState } from "@pawl/core/view";
import { type Reply, scriptedModel, testClock } from "@pawl/testing";
import { mark, markedText, writtenInput } from "./decide/decisions.ts";
import { logAt } from "./log.ts";
import type { Move, Plan, Turn } from "./plan.ts";
import { cited, sessionAgent } from "./tools.ts";

/** What a client has asked for, and where its stream begins. */
export interface Asked {
  message?: { id: string; text: string };
  answers?: readonly Answer[];
  retry?: string;
  /** The session's last event when the request came. */
  at: number;
  start: RunStart;
  /** Made while a run was in progress. */
  during: boolean;
  /** By a page that has just been loaded. */
  reloads: boolean;
}

/** A session that was had with a real agent. */
export interface Made {
  decides: Plan["decides"];
  /** All events, with what was redacted later. */
  log: readonly StoredEvent[];
  /** What the runs have sent to readers who are there all the time. */
  live: readonly SessionEvent[];
  /** The calls that have run, with the inputs that their tools got. */
  ran: ReadonlyMap<string, unknown>;
  /** The session as its user sees it in the end. */
  view: ViewState;
  /** What the model was asked. */
  requests: readonly ModelRequest[];
  /** What the callers of the runs got. */
  results: readonly RunResult[];
  asked: readonly Asked[];
  /** Where the session had settled. */
  rests: readonly number[];
  cuts: readonly number[];
}

/** The tools that a page offers. */
export const OFFERED: NonNullable<RunOptions["clientTools"]> = [{ name: "offered", description: "x" }];

const USER = { userId: "ada", sessionId: "s" };

/** Has the session of a plan. `over` wraps its store. */
export async function makeSession(
  plan: Plan,
  over: (store: EventStore) => EventStore = (store) => store,
): Promise<Made> {
  const clock = testClock(Date.UTC(2096, 0, 1));
  const store = over(memoryStore({ now: () => clock.now() }));
  const asked: Asked[] = [];
  const rests: number[] = [];
  const waits: Promise<unknown>[] = [];
  const results: RunResult[] = [];
  const live: SessionEvent[] = [];
  const ran = new Map<string, unknown>();
  const meanwhile = [...plan.meanwhile];
  const scripted = modelOf(plan);
  const model = withRetry(scripted, { retries: 2, baseMs: 0 });
  const coach = sessionAgent(model, {
    ...plan,
    meanwhile: () => act(meanwhile.shift(), true),
    ran: (callId, input) => ran.set(callId, input),
  });
  const pawl = runtime({
    agents: [coach],
    store,
    times: { pollMs: 10 },
    testing: { clock },
    onError: () => undefined,
  });
  const log = async () => await Array.fromAsync(store.read("s"));
  const view = async () => await foldView(logAt(await log(), Number.POSITIVE_INFINITY));

  async function ask(
    options: Pick<Asked, "message" | "answers" | "retry">,
    how: { during: boolean; reloads: boolean },
  ): Promise<void> {
    const { message, answers, retry } = options;
    const at = (await store.sessions.get("s"))?.lastSeq ?? 0;
    const run =
      retry !== undefined
        ? pawl.run("coach", { ...USER, retry })
        : answers !== undefined
          ? pawl.run("coach", { ...USER, answers })
          : pawl.run("coach", {
              ...USER,
              input: message?.text ?? "",
              clientMessageId: message?.id ?? "",
              clientTools: OFFERED,
            });
    const noteResult = (one: RunResult) => void results.push(one);
    const result = run.result.then(noteResult, (error: unknown) => {
      // Two calls that work at the same time may answer the same question.
      if (!how.during || !PawlError.is(error, "already_answered")) throw error;
    });
    waits.push(result, noteLive(run, live));
    const start = await run.started.catch(async () => void (await result));
    if (start !== undefined) asked.push({ ...options, ...how, at, start });
  }

  async function act(move: Move | undefined, during: boolean): Promise<void> {
    const { pending, run } = await view();
    const how = { during, reloads: move?.reloads ?? false };
    switch (move?.do) {
      case "answer":
      case "one": {
        const from = move.which % Math.max(1, pending.length);
        const some = move.do === "one" ? pending.slice(from, from + 1) : pending;
        if (some.length > 0) await ask({ answers: some.map((question) => answerTo(question, move)) }, how);
        return;
      }
      case "message":
        return await ask({ message: messageOf(asked) }, how);
      case "refuse":
        return await ask({ message: refusedOf(asked, plan) }, how);
      case "retry":
        return run !== undefined && canBeRetried(run) ? await ask({ retry: run.id }, how) : undefined;
      case "stop":
        return await pawl.stop("s", { userId: "ada" });
      case "expire":
        return await clock.advance(60_001);
      case "redact":
        // Refused while a run is open, and for an event without content.
        return await pawl
          .redact("s", 1 + ((move.which * 7) % (await log()).length), { userId: "ada" })
          .catch(() => undefined);
    }
  }

  const settle = async () => {
    while (waits.length > 0) await waits.shift();
    await clock.advance(0);
    rests.push((await store.sessions.get("s"))?.lastSeq ?? 0);
  };
  await store.sessions.create({ id: "s", userId: "ada", agent: "coach" });
  await ask({ message: { id: "m0", text: "Hi" } }, { during: false, reloads: false });
  await settle();
  for (const move of plan.moves) {
    await act(move, false);
    await settle();
  }
  await pawl.drain();
  const { requests } = scripted;
  const last = await pawl.view("s", { userId: "ada" });
  const { decides } = plan;
  return {
    decides,
    log: await log(),
    live,
    ran,
    view: last,
    requests,
    results,
    asked,
    rests,
    cuts: plan.cuts,
  };
}

/** Collects what a run sends. Its result has the error with which it rejects. */
async function noteLive(run: AsyncIterable<SessionEvent>, live: SessionEvent[]): Promise<void> {
  try {
    for await (const event of run) live.push(event);
  } catch {
    // See above.
  }
}

/** A message that guards refuse, if there are some. */
const refusedOf = ({ length }: readonly Asked[], { decides }: Plan) => ({
  id: `r${length}`,
  text: decides ? mark("REFUSED", length) : "Hm",
});

const messageOf = ({ length }: readonly Asked[]) => ({ id: `m${length}`, text: `More ${length}` });

function answerTo({ callId, seq, kind, clientTool }: Question, { yes, which }: Move): Answer {
  if (kind === "approval")
    return { callId, question: seq, value: { approved: yes, reason: mark("USER", seq) } };
  if (clientTool !== undefined && !yes) return { callId, question: seq, error: `It broke ${which}` };
  return { callId, question: seq, value: { yes } };
}

/** The model of a session: its turns one after the other, and then texts. */
function modelOf({ turns, cites, decides }: Plan) {
  let calls = 0;
  const replies = turns.flatMap((turn, at) =>
    repliesOf({ ...turn, text: markedText(decides, at, turn.text) }, () => writtenInput(decides, calls++)),
  );
  let texts = 0;
  return scriptedModel(() => {
    const text = markedText(decides, texts, `Done ${texts++}`);
    return replies.shift() ?? (cites && texts % 2 === 1 ? { content: cited(text) } : { text });
  });
}

function repliesOf({ thinking, text, calls, fails, broken }: Turn, next: () => Json): Reply[] {
  const lost = (said: string): Reply => ({
    text: `lost ${said}${/ @4711-\S+/.exec(text)?.[0] ?? ""}`,
    fault: { midStream: "overloaded", afterEvents: 4 },
  });
  const reply: Reply = {
    ...(thinking !== "" && { thinking }),
    ...(text.trim() !== "" && { text }),
    tools: calls.map((name) => {
      const input = next();
      return { id: `c${Object(input).n}`, name, input };
    }),
  };
  return broken ? [...["one", "two", "three"].map(lost), reply] : [...fails.map(lost), reply];
}
