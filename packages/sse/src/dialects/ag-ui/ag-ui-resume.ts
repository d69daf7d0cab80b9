import { type Answer, canBeRetried, type Json, PawlError, type Question } from "@pawl/core";
import type { ViewState } from "@pawl/core/view";
import { invalid } from "../../request/check-body.ts";
import { isApproval } from "../base/answers.ts";
import type { Begin } from "../base/dialect.ts";
import { knownIn } from "../base/known-answers.ts";
import { questionOf } from "../base/question-id.ts";
import type { AgUiStream } from "./ag-ui-encoder.ts";
import { isFrontendCall } from "./ag-ui-frontend-tools.ts";
import { CLOSED, type ToolMessage, toolAnswers } from "./ag-ui-tool-messages.ts";

/** What the client does with one of its interrupts. */
export interface ResumeEntry {
  interruptId: string;
  status: "resolved" | "cancelled";
  payload?: Json;
}

/** What a request with `resume` begins, and options of its stream. */
type Resumed = { begin: Begin } & Pick<AgUiStream, "restates" | "drops">;

/**
 * Returns what `resume` begins. It must name every open question once, to answer or cancel it. A tool message
 * may answer a question instead. The calls of frontend tools are no interrupts, and may stay open.
 */
export function resumed(
  resume: readonly ResumeEntry[],
  tools: readonly ToolMessage[],
  view: ViewState,
  message: Begin | undefined,
): Resumed {
  const named = new Map(resume.map((entry) => [questionOf(entry.interruptId), entry]));
  const others = view.pending.filter(({ seq }) => !named.has(seq));
  const answered = tools.filter(({ callId }) => others.some((question) => question.callId === callId));
  const known = view.pending.length - others.length;
  const isAnswered = ({ callId }: Question) => answered.some((result) => result.callId === callId);
  const isMissing = others.some((question) => !isAnswered(question) && !isFrontendCall(question));
  const isCancelled = resume.every(({ status }) => status === "cancelled") && answered.length === 0;
  if (named.size > known && named.size === resume.length && wereAsked(named, view)) {
    if (isCancelled) return dropped({ message, isOfAll: known > 0 && !isMissing });
    if (message !== undefined || !areStored(resume, view)) throw new PawlError("already_answered", CLOSED);
    return again(view);
  }
  if (view.pending.length === 0) throw new PawlError("unknown_call", UNKNOWN);
  if (isMissing || named.size !== known || named.size !== resume.length) {
    throw new PawlError("unknown_call", "`resume` must name every open question once, and nothing else.");
  }
  if (isCancelled) return { begin: message ?? { abandon: true } };
  if (message !== undefined) throw invalid("Send answers and a new message in separate requests.");
  const answers = view.pending.flatMap((question): Answer[] => {
    const { callId, seq } = question;
    const entry = named.get(seq);
    if (entry === undefined) return [];
    if (entry.status === "resolved") return [{ callId, value: entry.payload ?? null, question: seq }];
    if (isApproval(question)) return [{ callId, value: { approved: false }, question: seq }];
    throw invalid(
      "`resume` cancels some questions and answers others: answer all of them, or cancel all of them.",
    );
  });
  return { begin: { answers: [...answers, ...(answered.length > 0 ? toolAnswers(answered, view) : [])] } };
}

/** Returns whether all named questions were asked: a `seq` up to the view's cursor counts. */
function wereAsked(named: ReadonlyMap<number | undefined, unknown>, { cursor }: ViewState): boolean {
  return [...named.keys()].every((seq) => seq !== undefined && seq <= cursor);
}

/**
 * Returns what begins if a client cancels questions that were closed before. A client sends nothing without
 * naming its interrupts, so its message is taken. Without one, it gets the thread, and questions that it has
 * not named stay open.
 */
function dropped({ message, isOfAll }: { message: Begin | undefined; isOfAll: boolean }): Resumed {
  if (message !== undefined) return { begin: message };
  if (isOfAll) return { begin: { abandon: true }, restates: true };
  return { begin: { connect: true }, restates: true, drops: true };
}

/** Returns whether the client sends only answers again that the last message has. */
function areStored(resume: readonly ResumeEntry[], { messages }: ViewState): boolean {
  const known = knownIn({ messages: messages.slice(-1) });
  return resume.every(({ interruptId, status, payload }) => {
    const question = questionOf(interruptId);
    const value = status === "cancelled" ? { approved: false } : (payload ?? null);
    return question !== undefined && known({ question, value }) === "same";
  });
}

/** Returns what begins if a client sends stored answers again: the Retry of a run that failed, or nothing. */
function again({ run, pending }: ViewState): Resumed {
  const isFailed = run?.failed === true && pending.length === 0 && canBeRetried(run);
  return { begin: isFailed ? { retry: run.id } : { connect: true }, restates: true };
}

const UNKNOWN = "There is no such question in this thread.";
