export { checkReturned, checkRewrite } from "../loop/hooks/check-returned.ts";
export { answerGate } from "./answer-gate.ts";
export { appendEvent } from "./append.ts";
export { askModelInRun } from "./ask.ts";
export { callOutput } from "./call-output.ts";
export { callQuestion } from "./call-question.ts";
export { changedOutcome } from "./changed-outcome.ts";
export { checkpointIfDue } from "./checkpoints.ts";
export { prepareAsked } from "./consent.ts";
export { checkedFeedback, continueWithFeedback } from "./continue-run.ts";
export { currentRun } from "./current-run.ts";
export { checkedChange, editNotes, inputForAfter, refusedEdit } from "./edited-input.ts";
export { runEffects } from "./effects.ts";
export { emitPart } from "./emit.ts";
export { reportHook, reportUnguarded, withheldResult } from "./hook-failures.ts";
export { land } from "./land.ts";
export { hideMessages, newMessages, storeRefused } from "./new-messages.ts";
export { nextAttempt } from "./next-attempt.ts";
export { prepareNextRun } from "./next-run.ts";
export { notifyHooks, reportUserData } from "./notify-hooks.ts";
export { outputVerdict } from "./output.ts";
export { changedPlan } from "./plans.ts";
export {
  answerProblems,
  checkedAsk,
  credentialsQuestion,
  hasLostAsker,
  hookAnswer,
  runQuestion,
  validateMidwayAnswer,
} from "./questions.ts";
export { fetchUserData } from "./read-user-data.ts";
export { afterRefusal } from "./refused.ts";
export { planOfRole } from "./roles.ts";
export { runMessage } from "./run-message.ts";
export { closeOvertakenQuestions, suspendRun } from "./suspend.ts";
export { agentOfHook, agentOfTool } from "./task-givers.ts";
export { chooseAgent } from "./tasks.ts";
export { reportCall, reportMistake, resultAsJson } from "./tool-mistakes.ts";
export { refreshUserData } from "./user-data.ts";
export { hasAsked, refusalText, whyNotAgain, wrongAnswer } from "./versions.ts";
export { wantCall, wantedVerdict } from "./wanted-call.ts";
