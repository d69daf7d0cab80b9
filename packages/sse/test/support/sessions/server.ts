import { EventSchema } from "@ag-ui/core/schemas";
import { type Answer, PawlError } from "@pawl/core";
import type { Begin, EncoderContext } from "../../../src/dialects/base/dialect.ts";
import type { Dialect, Encoder } from "../../../src/index.ts";
import { readThread } from "../../../src/request/read-thread.ts";
import { responseTo, type WireError } from "../../../src/request/wire-error.ts";
import { sendsTwice } from "../sends-twice.ts";
import { leaks, PAGES } from "./decide/decisions.ts";
import { asTheyCome, closedIn, endOf, lastRun, logAt, sessionOf, textsOf } from "./log.ts";
import type { Asked, Made } from "./made.ts";
import { same } from "./same.ts";

const OWN = ["look", "broken", "confirm", "gated", "page", "gatedPage", "gatedConfirm", "chain"];
const HEADERS = { "content-type": "text/event-stream" };

/** Serves a session that was had, as it was after the event `at`, to a client of a dialect. */
export class LogServer {
  at = 0;
  /** What follows in the log, if the client asks for it. */
  next: Asked | undefined;
  /** The connection breaks off after this event. */
  cut: number | undefined;
  /** What the last request has begun, or the code with which it was refused. */
  begun: Begin | undefined;
  refused: string | undefined;
  /** The last event that the response to the last request has. */
  reached = 0;
  /** Aborts when no page needs the server any more. */
  readonly over = new AbortController();

  readonly made: Made;
  readonly dialect: Dialect;

  constructor(made: Made, dialect: Dialect) {
    this.made = made;
    this.dialect = dialect;
  }

  #texts: ReadonlyMap<string, string> | undefined;

  /** What the answers of the whole log say while they are written, by the keys of the parts that show it. */
  get texts(): ReadonlyMap<string, string> {
    this.#texts ??= textsOf(this.made.log, this.made.cuts);
    return this.#texts;
  }

  /** The session as people see it. */
  session(at = this.at) {
    return sessionOf(logAt(this.made.log, at));
  }

  /** The results that calls got between a request and its stream. */
  private closed(afterSeq: number) {
    return closedIn(logAt(this.made.log, afterSeq), this.at);
  }

  /** What a page gets that loads. */
  loaded(): Record<string, never[]> {
    if (this.at === 0) return {};
    const { before, facts } = this.session();
    return JSON.parse(JSON.stringify(this.dialect.history?.(before, "s", facts)));
  }

  /** Where the session settles next. */
  get rest(): number {
    const { run } = this.session().before;
    const last = this.made.log[this.at - 1];
    const passesOn = last?.type === "run_ended" && last.data.next !== undefined;
    const isOpen = run?.open === true || passesOn;
    return isOpen ? (this.made.rests.find((rest) => rest >= this.at) ?? this.at) : this.at;
  }

  fetch = async (_url: unknown, init: RequestInit = {}): Promise<Response> =>
    init.method === "POST" ? await this.post(String(init.body)) : this.connect(this.dialect.encoder);

  private async post(body: string): Promise<Response> {
    const headers = { "content-type": "application/json" };
    const request = new Request("http://pawl/runs", { method: "POST", headers, body });
    const limits = { maxBodyBytes: 1_000_000, maxHistoryBytes: 1_000_000 };
    this.begun = undefined;
    this.refused = undefined;
    this.reached = this.at;
    try {
      const thread = await readThread(request, this.dialect.threadField ?? "", limits);
      const tools = { own: new Set(OWN) };
      const asked = await this.dialect.parse(thread.body, { maxInputLength: 1e5, tools }, thread.earlier);
      const begun = await asked.begin(this.session().before);
      this.checkAnswers(begun);
      this.begun = begun;
      const encoder = asked.encoder ?? this.dialect.encoder;
      if ("connect" in begun || "shown" in begun) return this.connect(encoder);
      if (this.next === undefined) throw new PawlError("session_busy", "The log does not go on.");
      const { start } = this.next;
      const { before, facts } = this.session(start.afterSeq);
      const more = start.messageSeq !== undefined && { messageSeq: start.messageSeq };
      const closed = this.closed(start.afterSeq);
      const context = { ...this.context(), ...more, runId: start.runId, before, facts, closed };
      return this.stream(encoder(context), start.afterSeq, endOf(this.made.log, start), this.at);
    } catch (error) {
      const response = responseTo(error);
      const wire = (await response.clone().json()) as WireError;
      this.refused = wire.error.code === "internal" ? String(error) : wire.error.code;
      const frames = this.dialect.refused?.(wire.error);
      return frames === undefined ? response : new Response(frames.join(""), { headers: HEADERS });
    }
  }

  /** Refuses what a runtime refuses: answers of which none belongs to an open question. */
  private checkAnswers(begun: Begin): void {
    if (!("answers" in begun)) return;
    const { pending } = this.session().before;
    const isAsked = ({ callId, question }: Answer) =>
      pending.some((one) => one.callId === callId && (question ?? one.seq) === one.seq);
    if (!begun.answers.some(isAsked)) throw new PawlError("already_answered", "It is answered.");
  }

  private connect(encoder: Dialect["encoder"]): Response {
    const start = lastRun(logAt(this.made.log, this.at));
    if (start === undefined) return new Response(null, { status: 204 });
    const { before, facts } = this.session(start.afterSeq);
    const context = { ...this.context(), runId: start.runId, before, facts, again: true };
    return this.stream(encoder(context), start.afterSeq, this.rest, this.at);
  }

  /** The encoder of a stream that begins at a cursor. */
  encoder({ from }: Required<Pick<EncoderContext, "from">>): Encoder {
    return this.dialect.encoder({ ...this.context(), ...this.session(), runId: "", from });
  }

  /** What a client gets that has asked for something, and is there until the run settles. */
  async received({ at, start }: Asked): Promise<readonly { [field: string]: unknown }[]> {
    this.at = at;
    const { before, facts } = this.session(start.afterSeq);
    const more = start.messageSeq !== undefined && { messageSeq: start.messageSeq };
    const closed = this.closed(start.afterSeq);
    const context = { ...this.context(), ...more, runId: start.runId, before, facts, closed };
    const response = this.stream(
      this.dialect.encoder(context),
      start.afterSeq,
      endOf(this.made.log, start),
      at,
    );
    return parsed((await response.text()).split("\n\n").filter((frame) => frame !== ""));
  }

  private context(): Omit<EncoderContext, "before" | "facts" | "runId"> {
    const { pending } = this.session().before;
    const { at: cursor } = this;
    return {
      agent: "coach",
      sessionId: "s",
      threadId: "s",
      mode: null,
      cursor,
      isAnswered: ({ seq }) => seq <= cursor && pending.every((one) => one.seq !== seq),
    };
  }

  private stream(encoder: Encoder, afterSeq: number, end: number, from: number): Response {
    const { log, cuts } = this.made;
    const stored = logAt(log, Math.max(end, this.at)).filter(({ seq }) => seq > afterSeq && seq <= end);
    const frames = [...encoder.begin()];
    const { cut = Number.POSITIVE_INFINITY } = this;
    let isCut = false;
    this.reached = Math.min(cut, end);
    for (const event of asTheyCome(stored, cuts, from)) {
      if (encoder.over) break;
      isCut = "seq" in event && event.seq > cut;
      if (isCut) break;
      frames.push(...encoder.encode(event));
    }
    if (!isCut) frames.push(...encoder.end());
    check(frames, this.dialect);
    const breaks = isCut && this.dialect.name !== "AG-UI";
    return new Response(breaks ? brokenOff(frames) : frames.join(""), { headers: HEADERS });
  }
}

function check(frames: readonly string[], { name }: Dialect): void {
  // What an agent below says: Pawl's own clients show it with the call.
  const isPublic = (frame: string) => name === "native" && frame.includes('"type":"agent_delta"');
  const odd = frames.filter(
    (frame) =>
      !/^(id: [\d~]+\n)?data: [^\n\r]*\n\n$/.test(frame) || (frame.includes("SECRET") && !isPublic(frame)),
  );
  same(odd, [], "frames that must not be sent");
  same(leaks(frames.join(""), PAGES), [], `what pages of ${name} must not get`);
  const events = parsed(frames);
  same(sendsTwice(events), [], "sent twice");
  const invalid = (event: unknown) => EventSchema.safeParse(event).error?.message;
  if (name === "AG-UI") same(events.map(invalid).filter(Boolean), [], "not of AG-UI");
}

function parsed(frames: readonly string[]): { [field: string]: unknown }[] {
  return frames
    .filter((frame) => !frame.includes("[DONE]"))
    .map((frame) => JSON.parse(frame.slice(frame.indexOf("data: ") + 6)));
}

function brokenOff(frames: readonly string[]): ReadableStream<Uint8Array> {
  const parts = frames.map((frame) => new TextEncoder().encode(frame));
  return new ReadableStream({
    pull(controller) {
      const part = parts.shift();
      if (part === undefined) controller.error(new TypeError("network error"));
      else controller.enqueue(part);
    },
  });
}
