export { storedQuestionOf } from "../tools/define-tool.ts";
export { appendEvent } from "./append.ts";
export { askModelInRun } from "./ask.ts";
export { callOutput } from "./call-output.ts";
export { checkpointIfDue } from "./checkpoints.ts";
export { consentIn, prepareAsked } from "./consent.ts";
export { checkedFeedback, continueWithFeedback } from "./continue-run.ts";
export { currentRun } from "./current-run.ts";
export { runEffects } from "./effects.ts";
export { emitPart } from "./emit.ts";
export { outputVerdict } from "./output.ts";
export { checkPlan } from "./plans.ts";
export {
  answerProblems,
  checkedAsk,
  credentialsQuestion,
  hookAnswer,
  lostAsker,
  retryWait,
  runQuestion,
  validateMidwayAnswer,
} from "./questions.ts";
export { fetchUserData } from "./read-user-data.ts";
export { afterRefusal } from "./refused.ts";
export { agentOfHook, agentOfTool } from "./task-givers.ts";
export { chooseAgent } from "./tasks.ts";
export { reportMistake, resultAsJson } from "./tool-mistakes.ts";
export { refreshUserData } from "./user-data.ts";
export { hasAsked, refusalText, whyNotAgain, wrongAnswer } from "./versions.ts";
export { wantCall, wantedVerdict } from "./wanted-call.ts";
