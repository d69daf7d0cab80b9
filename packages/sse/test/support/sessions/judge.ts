import type { Answer } from "@pawl/core";
import type { Dialect } from "../../../src/index.ts";
import type { Version as AgVersion } from "../agents.ts";
import type { Version as AiVersion } from "../chat.ts";
import { agUiPage } from "./ag-ui-page.ts";
import { aiSdkPage } from "./ai-sdk-page.ts";
import { expectedInAgUi, expectedInAiSdk } from "./expected.ts";
import { endOf } from "./log.ts";
import type { Asked, Made } from "./made.ts";
import type { Page } from "./page.ts";
import { same } from "./same.ts";
import { LogServer } from "./server.ts";

/** A kind of client: how its page loads, and what it shows of a view's calls. */
export interface Kind {
  dialect: Dialect;
  page(server: LogServer, loaded: Record<string, never[]>): Page;
  expected: typeof expectedInAgUi;
  /** Whether its streams change earlier messages, and have the user's messages that other pages send. */
  hearsOthers: boolean;
  /** Whether its pages can answer some questions and leave others open. */
  answersSome: boolean;
}

export const aiSdkKind = (dialect: Dialect, version: AiVersion): Kind => ({
  dialect,
  page: (server, { messages = [] }) => aiSdkPage(version, server, messages),
  expected: expectedInAiSdk,
  hearsOthers: false,
  answersSome: true,
});

export const agUiKind = (dialect: Dialect, version: AgVersion): Kind => ({
  dialect,
  page: (server, { messages = [], pendingInterrupts = [] }) =>
    agUiPage(version, server, { messages, pendingInterrupts }),
  expected: expectedInAgUi,
  hearsOthers: true,
  answersSome: false,
});

/** Has all requests of a session made by pages, and asserts that each shows what the log has. */
export async function judge(made: Made, kind: Kind): Promise<void> {
  const { dialect, page: open, expected, answersSome, hearsOthers } = kind;
  const server = new LogServer(made, dialect);
  const load = (at: number): Page => open(server, at === 0 ? {} : server.history(at));
  const shows = (page: Page, at: number, what: string) => {
    const shown = { shown: page.shown(), calls: Object.fromEntries(page.calls()) };
    const loaded = load(at).shown();
    const calls = Object.fromEntries(expected(server.session(at).before));
    same(shown, { shown: loaded, calls }, `${what} ${at}`);
  };
  let page: Page | undefined;
  let known = -1;
  for (const asked of made.asked) {
    server.at = asked.at;
    server.next = asked;
    const end = endOf(made.log, asked.start);
    const { pending } = server.session().before;
    const canAnswer = asked.answers === undefined || answersSome || asked.answers.length === pending.length;
    const isCrossed = made.asked.some(({ at, during }) => during && at >= asked.at && at < end);
    if (page === undefined || known !== asked.at || asked.reloads) page = load(asked.at);
    shows(page, asked.at, "loaded at");
    if (canAnswer && !isCrossed) {
      await act(page, asked);
      same([plain(server.begun), server.refused], [plain(asked), undefined], `asked at ${asked.at}`);
      // A message closes questions in earlier messages, which these pages show as open until they load.
      const closes = !hearsOthers && asked.message !== undefined && pending.length > 0;
      const what = `after the request at ${asked.at}, live until`;
      if (closes) same(lastOf(page), lastOf(load(end)), `${what} ${end}`);
      else shows(page, end, what);
      known = closes ? -1 : end;
    } else page = undefined;
    await reconnects(server, asked, end, { load, shows, isCrossed, hearsOthers });
  }
  server.next = undefined;
  await late(server, load);
}

const lastOf = (page: Page) => [page.shown()].flat().at(-1);

async function act(page: Page, { message, answers = [], retry }: Asked): Promise<void> {
  if (message !== undefined) await page.send(message);
  else if (retry !== undefined) await page.retry();
  else await page.answer(answers);
}

/** What was asked for, however it is written. */
function plain(begun: Partial<Asked> | LogServer["begun"]): unknown {
  const { message, answers, retry, clientMessageId = message?.id, ...other } = Object(begun);
  if (answers !== undefined) return inOrder(answers);
  return retry ?? clientMessageId ?? other;
}

function inOrder(answers: readonly Answer[]): unknown[] {
  return answers
    .map(
      ({ callId, question = 0, value, error }) => [question, callId, value ?? null, error ?? null] as const,
    )
    .toSorted(([one], [other]) => one - other);
}

interface Looks {
  load(at: number): Page;
  shows(page: Page, at: number, what: string): void;
  isCrossed: boolean;
  hearsOthers: boolean;
}

/** Pages that are loaded, or lose their connection, at some events of a stream, and connect again. */
async function reconnects(server: LogServer, asked: Asked, end: number, looks: Looks) {
  const { load, shows, isCrossed, hearsOthers } = looks;
  const { cuts, log } = server.made;
  const length = end - asked.at;
  const places = new Set(cuts.slice(0, 3).map((cut) => asked.at + Math.ceil((cut / 9) * length)));
  for (const at of [...places].filter((place) => place > 0)) {
    server.at = at;
    const { rest } = server;
    const isNew = ({ type, seq }: { type: string; seq: number }) =>
      type === "user_message" && seq > at && seq <= rest;
    if (log.some(isNew) && !(hearsOthers && isCrossed)) continue;
    const page = load(at);
    shows(page, at, "loaded in the middle, at");
    await page.connect();
    shows(page, rest, `connected at ${at}, until`);
    server.at = rest;
    await page.connect();
    shows(page, rest, `connected again, after one at ${at}, at`);
    if (isCrossed || asked.answers !== undefined || at <= asked.at || !hearsOthers) continue;
    server.at = asked.at;
    server.next = asked;
    server.cut = at;
    const cutOff = load(asked.at);
    await act(cutOff, asked);
    server.cut = undefined;
    server.at = at;
    await cutOff.connect();
    shows(cutOff, rest, `cut off at ${at}, connected, until`);
  }
}

const LATE = ["already_answered", "unknown_call", "invalid_answer", "invalid_input"];

/** Pages that were loaded while something was asked, and answer when the session has gone on. */
async function late(server: LogServer, load: (at: number) => Page): Promise<void> {
  const { rests } = server.made;
  for (const [index, rest] of rests.entries()) {
    server.at = rest;
    const asked = server.session().before.pending;
    if (asked.length === 0) continue;
    for (const now of rests.slice(index + 1)) {
      if (now === rest) continue;
      const page = load(rest);
      server.at = now;
      const open = new Set(server.session().before.pending.map(({ seq }) => seq));
      const odd = asked.map(({ callId, seq, kind }): Answer => {
        return {
          callId,
          question: seq,
          value: kind === "approval" ? { approved: true, reason: "late" } : { late: 1 },
        };
      });
      await page.answer(odd);
      const { begun, refused } = server;
      const answered = begun !== undefined && "answers" in begun ? begun.answers : [];
      const what = `late answers of ${rest} at ${now}`;
      const stale = answered.filter(({ question = 0 }) => !open.has(question));
      same(stale, [], what);
      if (asked.some(({ seq }) => open.has(seq))) continue;
      same([begun, LATE.includes(refused ?? "")], [undefined, true], `${what}: ${refused}`);
    }
  }
}
