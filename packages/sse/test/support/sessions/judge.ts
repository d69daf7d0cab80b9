import type { Answer, StoredEvent } from "@pawl/core";
import type { Kind } from "./kinds.ts";
import { late } from "./late.ts";
import { endOf, logAt } from "./log.ts";
import type { Looks } from "./looks.ts";
import type { Asked, Made } from "./made.ts";
import type { Page } from "./page.ts";
import { same } from "./same.ts";
import { LogServer } from "./server.ts";

/** Has all requests of a session made by pages, and asserts that each shows what the log has. */
export async function judge(made: Made, kind: Kind): Promise<void> {
  const server = new LogServer(made, kind.dialect);
  await judgePages(server, kind).finally(() => server.over.abort());
}

async function judgePages(server: LogServer, kind: Kind): Promise<void> {
  const { made } = server;
  const { expected, can, hearsClosings, follows } = kind;
  const load = async (at: number): Promise<Page> => {
    const { at: now } = server;
    server.at = at;
    const page = await kind.load(server);
    server.at = now;
    return page;
  };
  const shows = async (page: Page, at: number, what: string) => {
    const shown = { shown: page.shown(), calls: Object.fromEntries(page.calls()) };
    const loaded = (await load(at)).shown();
    const calls = Object.fromEntries(expected(server.session(at).before, logAt(made.log, at)));
    same(shown, { shown: loaded, calls }, `${what} ${at}`);
  };
  let page: Page | undefined;
  let known = -1;
  for (const asked of made.asked) {
    server.at = asked.at;
    server.next = asked;
    const end = endOf(made.log, asked.start);
    const { pending } = server.session().before;
    const isCrossed = made.asked.some(({ at, during }) => during && at >= asked.at && at < end);
    if (page === undefined || asked.reloads || (known !== asked.at && !follows)) page = await load(asked.at);
    else if (known !== asked.at) await page.connect();
    await shows(page, asked.at, "loaded at");
    if (can(asked, pending) && !isCrossed) {
      await act(page, asked);
      same([plain(server.begun), server.refused], [plain(asked), undefined], `asked at ${asked.at}`);
      // A message closes questions in earlier messages, which these pages show as open until they load.
      const closes = !hearsClosings && asked.message !== undefined && pending.length > 0;
      const what = `after the request at ${asked.at}, live until`;
      if (closes) same(lastOf(page), lastOf(await load(end)), `${what} ${end}`);
      else await shows(page, end, what);
      known = closes ? -1 : end;
    } else page = undefined;
    await reconnects(server, asked, end, { load, shows, isCrossed, kind });
  }
  server.next = undefined;
  await late(server, { load, shows, kind });
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

/** Pages that are loaded, or lose their connection, at some events of a stream, and connect again. */
async function reconnects(
  server: LogServer,
  asked: Asked,
  end: number,
  { load, shows, isCrossed, kind }: Looks & { isCrossed: boolean },
) {
  const { hearsOthers, follows, comesBack } = kind;
  const { cuts, log } = server.made;
  const length = end - asked.at;
  const places = new Set(cuts.slice(0, 3).map((cut) => asked.at + Math.ceil((cut / 9) * length)));
  for (const at of [...places].filter((place) => place > 0)) {
    server.at = at;
    const { rest } = server;
    const isLater = ({ seq }: StoredEvent) => seq > at && seq <= rest;
    const isNew = (event: StoredEvent) => event.type === "user_message" && isLater(event);
    // A stream ends with a run that passes nothing on, e.g. because a message has closed its question.
    const isEnd = (event: StoredEvent) => event.type === "run_ended" && event.data.next === undefined;
    if (log.some((event) => isEnd(event) && isLater(event) && event.seq < rest)) continue;
    if (log.some(isNew) && !follows && !(hearsOthers && isCrossed)) continue;
    const page = await load(at);
    await shows(page, at, "loaded in the middle, at");
    await page.connect();
    await shows(page, rest, `connected at ${at}, until`);
    server.at = rest;
    await page.connect();
    await shows(page, rest, `connected again, after one at ${at}, at`);
    if (isCrossed || asked.answers !== undefined || at <= asked.at || !comesBack) continue;
    server.at = asked.at;
    server.next = asked;
    server.cut = at;
    const cutOff = await load(asked.at);
    await act(cutOff, asked);
    server.cut = undefined;
    server.at = at;
    await cutOff.connect();
    await shows(cutOff, rest, `cut off at ${at}, connected, until`);
  }
}
