export { type CoachOptions, coach, coachLimits, SUMMARIZE_ABOVE } from "./agent/coach.ts";
export type { Calendar, CalendarEvent, DayOfUser } from "./calendar/calendar-event.ts";
export { type IcsCalendarOptions, icsCalendar } from "./calendar/ics-calendar.ts";
export { isUrl } from "./calendar/load-calendar.ts";
export { type Facts, signalTable } from "./context/signals.ts";
export { coachContext } from "./context/user-context.ts";
export {
  type CoachData,
  type CoachDeps,
  type CoachDepsOptions,
  coachDeps,
  type PastSession,
} from "./deps/deps.ts";
export { fileIndex, type IndexedFile } from "./files/file-index.ts";
export { type FileType, fileTypes } from "./files/file-type.ts";
export { type MarkdownFile, readFrontMatter, withFrontMatter } from "./files/front-matter.ts";
export { harmlessMarkdown } from "./files/harmless.ts";
export { type FilesAt, openFiles } from "./files/open-files.ts";
export { readMarkdown, userFiles } from "./files/user-files.ts";
export { dailyBudget, dailyBudgetTokens } from "./hooks/daily-budget.ts";
export { modelSummary } from "./hooks/model-summary.ts";
export type { Summarize, ToSummarize } from "./hooks/summary.ts";
export { type LegacyPart, legacyParts, withoutBlocks, withoutTags } from "./legacy/index.ts";
export { type DayPlan, type DayPlans, memoryDayPlans } from "./plans/day-plans.ts";
export { postgresDayPlans } from "./plans/postgres-day-plans.ts";
export { coachSkills } from "./prompt/skills.ts";
export { type LifeDomain, lifeDomains, type Ratings } from "./pulse/domains.ts";
export { coachExtra } from "./sessions/extra.ts";
export {
  type Arc,
  arcs,
  DEFAULT_TYPE,
  rulesOf,
  type SessionRules,
  type SessionType,
  sessionTypes,
  type ToolName,
  toolNames,
} from "./sessions/session-types.ts";
export { type CoachRulesOptions, coachRules } from "./simulator/rules.ts";
export type { Completed } from "./tools/complete-session.ts";
export { fileText, MAX_CONTENT, type SavedFile, type SaveFileInput } from "./tools/save-file.ts";
export type { Option } from "./tools/show-options.ts";
export type { PulseChange, PulseResult } from "./tools/show-pulse-check.ts";
export { type MessageRow, messageRows } from "./view/message-rows.ts";
