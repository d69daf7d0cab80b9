export { COMPANY_NOW, COMPANY_START, DAY_MS, months } from "./clock.ts";
export {
  type Company,
  type CompanyOptions,
  DEFAULT_DOCUMENTS,
  DEFAULT_SEED,
  drawCompany,
} from "./company.ts";
export { drawDirectory, type Workspace, type WorkspaceId } from "./directory.ts";
export { type Fact, nameOf, subjects } from "./facts.ts";
export { drawQuestions, type Question, type QuestionKind, questionKinds } from "./questions.ts";
export { chatter, type Subject } from "./words/index.ts";
