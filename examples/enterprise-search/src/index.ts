export {
  type Capabilities,
  type Connector,
  type CustomAgentStore,
  customAgentList,
  isForSearchAgent,
  SEARCH_AGENT,
  type SearchAgentOptions,
  searchAgent,
} from "./agent/index.ts";
export type { Document, Group, Person } from "./base/document.ts";
export { type Source, sources } from "./base/sources.ts";
export type { StoredAgent } from "./base/stored-agent.ts";
export {
  COMPANY_NOW,
  type Company,
  type CompanyOptions,
  DEFAULT_DOCUMENTS,
  DEFAULT_SEED,
  drawCompany,
  drawDirectory,
  drawQuestions,
  type Fact,
  type Question,
  type QuestionKind,
  questionKinds,
  type Workspace,
} from "./company/index.ts";
export {
  type AgentDraft,
  type AgentError,
  type AgentOutcome,
  type AgentStore,
  agentStore,
} from "./custom/index.ts";
export { type BuildProgress, migrateSearch, type StoreOptions, storeCompany } from "./data/index.ts";
export { type EmbeddedCompany, type EmbeddedCompanyOptions, embeddedCompany } from "./embedded/index.ts";
export { toolDocs } from "./prompt/tool-docs.ts";
export {
  type Caller,
  type CompanySearch,
  type CompanySearchOptions,
  companySearch,
  type FoundPerson,
  type Fragment,
  type Hit,
  type OpenDocument,
  type PeopleOutcome,
  type PeopleQuery,
  type Related,
  type SearchOutcome,
  type SearchQuery,
  type ShownPerson,
} from "./search/index.ts";
export { type SearchRulesOptions, searchRules } from "./simulator/rules.ts";
export {
  costOf,
  type OpenResult,
  type PeopleResult,
  PRICES,
  type SearchDeps,
  type SearchResult,
  searchTools,
} from "./tools/index.ts";
