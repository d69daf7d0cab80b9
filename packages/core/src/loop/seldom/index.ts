export { askModelInRun } from "./ask-in-run.ts";
export { callProgress } from "./call-progress.ts";
export { checkPlan } from "./check-plan.ts";
export { checkpointIfDue } from "./checkpoint-if-due.ts";
export { chooseAgent } from "./choose-agent.ts";
export { hasAsked, refusalText, whyNotAgain, wrongAnswer } from "./other-version.ts";
export { outputVerdict } from "./output-verdict.ts";
export { readUserData, userDataFailure } from "./read-user-data.ts";
export { refreshUserData } from "./refresh-user-data.ts";
export {
  answerProblems,
  checkedAsk,
  credentialsQuestion,
  hookAnswer,
  lostAsker,
  midwayAnswer,
  retryWait,
  runQuestion,
} from "./run-questions.ts";
