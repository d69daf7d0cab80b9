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
      await answerLate(server, looks, { asked, rest });
    }
  }
}

/** A page that was loaded at `rest` answers what was asked then. */
async function answerLate(
  server: LogServer,
  { load, shows, kind }: Looks,
  { asked, rest }: { asked: readonly Question[]; rest: number },
): Promise<void> {
  const { at: now } = server;
  const page = await load(rest);
  const { pending } = server.session().before;
  await page.answer(asked.map(lateAnswer));
  const { begun, refused } = server;
  const answered = begun !== undefined && "answers" in begun ? begun.answers : [];
  const what = `late answers of ${rest} at ${now}`;
  const isOpen = (seq: number) => pending.some((one) => one.seq === seq);
  same(
    answered.filter(({ question = 0 }) => !isOpen(question)),
    [],
    what,
  );
  if (kind.follows) await shows(page, now, what);
  const isAsked = ({ seq, callId }: Question) =>
    isOpen(seq) || (!kind.namesQuestions && pending.some((one) => one.callId === callId));
  if (asked.some(isAsked)) return;
  same([begun, LATE.includes(refused ?? "")], [undefined, true], `${what}: ${refused}`);
}

function lateAnswer({ callId, seq, kind }: Question): Answer {
  const value = kind === "approval" ? { approved: true, reason: "late" } : { late: 1 };
  return { callId, question: seq, value };
}
