// The entry `@pawl/knowledge`: data sources, the initializer, context sections and skills.

// Sources of data

export {
  type DataSource,
  type DataSourceOptions,
  dataSource,
  type SourceRequest,
} from "./sources/data-source.ts";
export {
  type FetchedSource,
  type FetchOptions,
  fetchSources,
  type SourceError,
  type SourceQuery,
} from "./sources/fetch-sources.ts";

// The initializer: a small model chooses sources

export type { OnError } from "./base/failures.ts";
export { type InitializerOptions, initializer } from "./initializer/initializer.ts";
export type { TaskData } from "./initializer/prompt.ts";
export type {
  ChoiceError,
  Chosen,
  Dropped,
  KnowledgeFailure,
  KnowledgeSelection,
  SelectionReason,
} from "./log/events.ts";
export type { SpokenIn } from "./log/read-log.ts";

// User data in sections

export {
  type ContextReport,
  type ContextSection,
  type SectionReport,
  type UnifiedContextOptions,
  unifiedContext,
} from "./context/unified-context.ts";

// Skills

export { type ParseSkillOptions, parseSkill } from "./skills/parse-skill.ts";
export { type Skill, skillSummaries } from "./skills/skill.ts";
export { type SkillHookOptions, type SkillSignals, skillHook } from "./skills/skill-hook.ts";
export { skillTool } from "./skills/skill-tool.ts";
