import type { Answer, Question } from "@pawl/core";
import type { Looks } from "./looks.ts";
import { same } from "./same.ts";
import type { LogServer } from "./server.ts";

/** The codes with which an answer is refused that comes too late. */
const LATE = ["already_answered", "unknown_call", "invalid_answer", "invalid_input"];

/** Pages that were loaded while something was asked, and answer when the session has gone on. */
export async function late(server: LogServer, looks: Looks): Promise<void> {
  const { rests } = server.made;
  for (const [index, rest] of rests.entries()) {
    server.at = rest;
    const asked = server.session().before.pending;
    if (asked.length === 0) continue;
    for (const now of rests.slice(index + 1).filter((one) => one !== rest)) {
      server.at = now;
      await answerLate(server, looks, { asked, rest }, lateAnswer);
      await answerLate(server, looks, { asked, rest }, (question) => givenAnswer(server, question));
    }
  }
}

/** A page that was loaded at `rest` answers what was asked then. Pages may send the answer that was given, again. */
async function answerLate(
  server: LogServer,
  { load, shows, kind }: Looks,
  { asked, rest }: { asked: readonly Question[]; rest: number },
  answerTo: (question: Question) => Answer,
): Promise<void> {
  const { at: now } = server;
  const page = await load(rest);
  const { pending } = server.session().before;
  await page.answer(asked.map(answerTo));
  const { begun, refused } = server;
  const answered = begun !== undefined && "answers" in begun ? begun.answers : [];
  const what = `late answers of ${rest} at ${now}`;
  const isOpen = (seq: number) => pending.some((one) => one.seq === seq);
  // A client that does not name questions answers the one that its call asks now.
  const isMeant = (seq: number) => !kind.namesQuestions || asked.some((one) => one.seq === seq);
  same(
    answered.filter(({ question = 0 }) => !isOpen(question) || !isMeant(question)),
    [],
    what,
  );
  if (kind.follows) await shows(page, now, what);
  const isAsked = ({ seq, callId }: Question) =>
    isOpen(seq) || (!kind.namesQuestions && pending.some((one) => one.callId === callId));
  if (asked.some(isAsked) || answerTo !== lateAnswer) return;
  same([begun, LATE.includes(refused ?? "")], [undefined, true], `${what}: ${refused}`);
}

/** The answer that the log has; of a question that was closed, one that comes too late. */
function givenAnswer({ made }: LogServer, asked: Question): Answer {
  const { callId, seq } = asked;
  const given = made.log.find(
    (event) => event.type === "tool_answered" && event.data.call_id === callId && event.seq > seq,
  );
  if (given?.type !== "tool_answered" || given.data.closed !== undefined) return lateAnswer(asked);
  return { callId, question: seq, value: given.data.value };
}

function lateAnswer({ callId, seq, kind }: Question): Answer {
  const value = kind === "approval" ? { approved: true, reason: "late" } : { late: 1 };
  return { callId, question: seq, value };
}
