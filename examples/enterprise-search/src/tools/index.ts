import type { Tool } from "@pawl/core";
import { openDocumentTool } from "./open-document.ts";
import { searchPeople } from "./search-people.ts";
import { searchCalendar, searchDrive, searchGmail, searchSlack } from "./sources.ts";
import type { SearchDeps } from "./support.ts";

export type { OpenResult } from "./open-document.ts";
export type { PeopleResult } from "./search-people.ts";
export type { SearchResult } from "./search-source.ts";
export { type CallerSource, callerOf, costOf, PRICES, type SearchDeps } from "./support.ts";

/**
 * The six tools. They read {@link SearchDeps} from `deps`, and the workspace and e-mail address of the user
 * from `caller`.
 *
 * @example
 * ```ts
 * import { searchTools } from "@pawl/example-enterprise-search";
 *
 * console.log(searchTools.map(({ name }) => name));
 * // [ "search_gmail", "search_slack", "search_calendar", … ]
 * ```
 */
export const searchTools: readonly Tool<SearchDeps>[] = [
  searchGmail,
  searchSlack,
  searchCalendar,
  searchDrive,
  searchPeople,
  openDocumentTool,
];
