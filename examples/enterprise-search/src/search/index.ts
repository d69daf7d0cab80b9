export type { Caller } from "./caller.ts";
export { MOST_CHARS } from "./clean.ts";
export { type CompanySearch, type CompanySearchOptions, companySearch } from "./company-search.ts";
export type { ShownPerson } from "./directory.ts";
export type { Fragment } from "./fragment.ts";
export { MOST_TEXT, type OpenDocument, type Related } from "./open.ts";
export type { FoundPerson, PeopleOutcome, PeopleQuery } from "./people.ts";
export type { Hit, SearchOutcome, SearchQuery } from "./search.ts";
