import { expect } from "vitest";
import type { Company, CompanySearch, Document, Person } from "../../src/index.ts";
import { callerOf, oracle } from "./company-database.ts";

/** A document that is the only one with an order's code. */
export interface Coded {
  code: string;
  document: Document;
}

/** The documents with an order's code that no other document has, by the code. */
export function documentsWithCode({ documents }: Company): Coded[] {
  const withCode = new Map<string, Document[]>();
  for (const document of documents)
    for (const code of document.body.match(/\b[A-Z]\d{4}[A-Z]{2}\b/g) ?? [])
      withCode.set(code, [...(withCode.get(code) ?? []), document]);
  return [...withCode].flatMap(([code, found]) =>
    found.length === 1 ? [{ code, document: found[0] as Document }] : [],
  );
}

/** Tries to see one document as one person, in every way there is. Returns whether the person may see it. */
export async function checkPair(
  search: CompanySearch,
  company: Company,
  person: Person,
  { code, document }: Coded,
): Promise<boolean> {
  const { sees, seesId, people } = oracle(company);
  const may = sees(person, document);
  const caller = callerOf(person);
  const opened = await search.open(caller, { id: document.id });
  expect(opened?.id).toBe(may ? document.id : undefined);
  const related = [...(opened?.inThread ?? []), ...(opened?.links ?? [])];
  expect(related.filter(({ id }) => !seesId(person, id))).toEqual([]);
  // The code is in this document only, so the count says whether it was counted.
  const exact = await search.search(caller, { text: code });
  expect(exact).toMatchObject({ status: "ok", total: may ? 1 : 0, hits: may ? [{ id: document.id }] : [] });
  const wide = await search.search(caller, { text: document.body.slice(0, 200), limit: 20 });
  if (wide.status !== "ok") throw new Error(wide.status);
  expect(wide.hits.filter(({ id }) => !seesId(person, id))).toEqual([]);
  expect(wide.total).toBeLessThanOrEqual(company.documents.filter((one) => sees(person, one)).length);
  const owner = people.find(({ id }) => id === document.owner)!;
  const found = await search.people(caller, { text: owner.email });
  const strangers = found.people.filter(({ email }) => !email.endsWith(`@${person.workspace}.example`));
  expect(strangers).toEqual([]);
  expect(found.people.filter(({ last }) => last !== null && !seesId(person, last.id))).toEqual([]);
  return may;
}
