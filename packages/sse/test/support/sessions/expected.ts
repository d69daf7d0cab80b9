import type { ViewPart, ViewState } from "@pawl/core/view";

type Call = ViewPart & { type: "tool" };

const callsIn = (view: ViewState) =>
  view.messages.flatMap(({ parts }) => parts.filter((part) => part.type === "tool"));

const isAbout = ({ key }: Call) => key.endsWith(":ask");
const isOpen = ({ questions = [] }: Call) => questions.at(-1)?.state === "open";

/** What a page of the AI SDK shows of each call, by the view alone. */
export function expectedInAiSdk(view: ViewState): Map<string, string> {
  return new Map(callsIn(view).map((call) => [call.callId, inAiSdk(call, view)]));
}

function inAiSdk(call: Call, { pending }: ViewState): string {
  const { questions = [], phase, result = null } = call;
  const last = questions.at(-1);
  const isAsked = last !== undefined && pending.some(({ seq }) => seq === last.seq);
  if (isAsked) return last.kind === "approval" ? `approve q${last.seq}` : "asks";
  const approved = questions.findLast(({ kind }) => kind === "approval");
  if (phase === "running" || phase === "waiting") return "running";
  const isDenied = approved !== undefined && Object(approved.value).approved !== true;
  if (isDenied) return "denied";
  // The page has an answer itself, and shows it as the result. An approval is not a result.
  if (last?.kind === "approval" && !isResult(call)) return "running";
  if (last?.state === "closed" || last?.state === "stopped") return `error Not answered: ${last.reason}`;
  if (phase === "skipped" && typeof result === "object") return `error ${JSON.stringify(result)}`;
  return phase === "done" ? `done ${JSON.stringify(result)}` : `error ${String(result)}`;
}

/** What a page of AG-UI shows of each call, by the view alone. */
export function expectedInAgUi(view: ViewState): Map<string, string> {
  return new Map(callsIn(view).map((call) => [call.callId, inAgUi(call, view)]));
}

function inAgUi(call: Call, { pending }: ViewState): string {
  const question = pending.find(({ callId }) => callId === call.callId);
  if (question !== undefined && question.clientTool !== question.toolName) return `asks q${question.seq}`;
  if (isOpen(call) || !isResult(call)) return "none";
  const { result = null } = call;
  return typeof result === "string" ? result : JSON.stringify(result);
}

/** Whether a call has its result, and not only the answer to its last question. */
function isResult(call: Call): boolean {
  if (call.phase === "running" || call.phase === "waiting") return false;
  return isAbout(call) || call.questions?.at(-1)?.resultSeq !== call.resultSeq;
}
