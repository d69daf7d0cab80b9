import { checkOptions, type OptionKinds } from "@pawl/core";
import { wholeNumber } from "../base/check.ts";
import { sources } from "../base/sources.ts";
import type { PeopleQuery } from "./people.ts";
import type { SearchQuery } from "./search.ts";

type Time = NonNullable<SearchQuery["time"]>;

/** The most results of one search. */
const LIMIT = wholeNumber(1, 20);

const TEXTS = { owner: "string", involves: "string", place: "string", kind: "string" } as const;
const SEARCH: OptionKinds<SearchQuery> = {
  text: "string!",
  sources: {
    mustBe: `a list of ${sources.join(", ")}`,
    is: (value) => Array.isArray(value) && value.every((one) => sources.includes(one)),
  },
  ...TEXTS,
  ...{ time: "object", excludedIds: "list", limit: LIMIT },
};
const WHEN = {
  mustBe: "a time in milliseconds since 1970",
  is: (value: unknown) => typeof value === "number" && !Number.isNaN(value),
};
const TIME: OptionKinds<Time> = { from: WHEN, to: WHEN };
const PEOPLE: OptionKinds<PeopleQuery> = {
  ...{ text: "string", department: "string", team: "string", excludedEmails: "list", limit: LIMIT },
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
