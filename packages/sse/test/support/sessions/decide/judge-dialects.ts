import { asp, metrics, trainer } from "../../../../src/dialects.ts";
import { agUi, aiSdk, type Dialect, native } from "../../../../src/index.ts";
import { endOf } from "../log.ts";
import type { Asked, Made } from "../made.ts";
import { same } from "../same.ts";
import { LogServer } from "../server.ts";
import { type Decided, inputFor } from "./decided.ts";
import { type Frames, inAgUi, inAiSdk, inAsp, inMetrics, inNative, inTrainer, type Said } from "./wire.ts";

/** A dialect, what its frames say, and what they have to say of a call. */
interface Reader {
  dialect: Dialect;
  read(frames: Frames): Map<string, Said>;
  expected(call: Decided): Said;
  /** The stream of a message does not have the results of earlier calls that it closes. */
  isDeaf?: true;
  /** Shows what a question asks as the input of a call that has not run. */
  showsQuestions?: true;
}

const input = (call: Decided) => inputFor("pages", call);
const failed = ({ outcome }: Decided) => (outcome === "done" ? "done" : "error");

const READERS: readonly Reader[] = [
  {
    dialect: native(),
    read: inNative,
    // Its clients follow the session, which has the results.
    isDeaf: true,
    expected: (call) => ({ input: input(call), outcome: call.outcome, role: call.role }),
  },
  {
    dialect: aiSdk(),
    read: inAiSdk,
    isDeaf: true,
    showsQuestions: true,
    expected: (call) => ({
      input: input(call),
      outcome: call.asked === "denied" ? "denied" : failed(call),
      role: call.role,
    }),
  },
  {
    dialect: agUi(),
    read: inAgUi,
    expected: (call) => ({
      input: input(call),
      outcome: call.outcome === "skipped" ? "skipped" : "over",
      role: call.role,
    }),
  },
  {
    dialect: asp({ text: "settled" }),
    read: inAsp,
    expected: (call) => ({ input: input(call), outcome: call.outcome }),
  },
  {
    dialect: metrics({ text: "settled" }),
    read: inMetrics,
    expected: (call) => ({
      input: input(call),
      outcome: { done: "success", failed: "error", skipped: "skipped", open: "open" }[call.outcome],
    }),
  },
];

/** Asserts that all dialects say of each call what the log says. */
export async function judgeDialects(made: Made, calls: readonly Decided[]): Promise<void> {
  for (const { dialect, read, expected, isDeaf = false, showsQuestions = false } of READERS) {
    const server = new LogServer(made, dialect);
    const frames: Frames[number][] = [];
    for (const asked of made.asked) frames.push(...(await server.received(asked)));
    const said = read(frames);
    const isSent = (call: Decided) =>
      made.asked.some((asked) => hasCall(made, asked, call)) &&
      made.asked.some((asked) => hasResult(made, asked, call, isDeaf));
    for (const call of calls.filter(isSent)) {
      const one = said.get(call.callId);
      if (one === undefined && !call.started) continue;
      const comparable = ({ input: shown, outcome, role }: Said): Said => ({
        outcome,
        role,
        ...((call.started || !showsQuestions) && { input: shown }),
      });
      same(comparable(one ?? {}), comparable(expected(call)), `${call.callId} in ${dialect.name}`);
    }
  }
  await judgeTrainer(made, calls);
}

/** Whether the stream that answers a request has a call: runs may also go on while nobody is there. */
const hasCall = ({ log }: Made, { start }: Asked, { seq }: Decided) =>
  seq > start.afterSeq && seq <= endOf(log, start);

/**
 * Whether the stream that answers a request has a call's result. A message closes questions in earlier
 * messages, before its own run begins: a page of the AI SDK shows them as open until it loads.
 */
function hasResult(
  { log }: Made,
  { start, message, at }: Asked,
  { seq, resultSeq }: Decided,
  isDeaf = false,
): boolean {
  const isEarlier = message !== undefined && seq <= at;
  const isClosed = resultSeq > at && start.messageSeq === undefined;
  return isEarlier ? !isDeaf && isClosed : resultSeq > start.afterSeq && resultSeq <= endOf(log, start);
}

async function judgeTrainer(made: Made, calls: readonly Decided[]): Promise<void> {
  const server = new LogServer(made, trainer());
  // A stream ends where the run reads a message that was waiting for it, and calls with something redacted are
  // left out here.
  if (made.log.some(({ type }) => type === "redaction") || made.asked.some(({ during }) => during)) return;
  for (const asked of made.asked) {
    const over = calls.filter((call) => hasResult(made, asked, call));
    same(
      inTrainer(await server.received(asked)),
      over.map((call) => `${call.tool} ${call.outcome === "done" ? "done" : "failed"}`).toSorted(),
      "calls of the trainer",
    );
  }
}
