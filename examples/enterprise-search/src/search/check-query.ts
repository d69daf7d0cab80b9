import { checkOptions, type OptionKinds } from "@pawl/core";
import { sources } from "../base/sources.ts";
import type { PeopleQuery } from "./people.ts";
import type { SearchQuery } from "./search.ts";

type Time = NonNullable<SearchQuery["time"]>;

const TEXTS = { owner: "string", involves: "string", place: "string", kind: "string" } as const;
const SEARCH: OptionKinds<SearchQuery> = {
  text: "string!",
  sources: {
    mustBe: `a list of ${sources.join(", ")}`,
    is: (value) => Array.isArray(value) && value.every((one) => sources.includes(one)),
  },
  ...TEXTS,
  ...{ time: "object", excludedIds: "list", limit: "number" },
};
const TIME: OptionKinds<Time> = { from: "number", to: "number" };
const PEOPLE: OptionKinds<PeopleQuery> = {
  ...{ text: "string", department: "string", team: "string", excludedEmails: "list", limit: "number" },
};

/** @throws PawlError `config` for unknown, missing and invalid fields of a search */
export function checkSearch(query: SearchQuery): void {
  const range = "Use `time: { from, to }`, in milliseconds since 1970.";
  checkOptions("search()", query, SEARCH, { instead: { timeRange: range, time_range: range } });
  if (query.time !== undefined) checkOptions("`time` of search()", query.time, TIME);
}

/** @throws PawlError `config` for unknown and invalid fields of a search for people */
export function checkPeople(query: PeopleQuery): void {
  checkOptions("people()", query, PEOPLE);
}
