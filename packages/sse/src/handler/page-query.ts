import { refusal } from "../request/wire-error.ts";
import type { Page } from "../session/session-view.ts";

/** The most messages that a request can ask for. */
const MOST = 200;

/**
 * Parses the page that a request asks for; `undefined` if it asks for the whole session.
 *
 * @throws HTTPException 400 for numbers that are not valid, and for `before` without `last`.
 */
export function pageOf({ last, before }: Readonly<Record<string, string>>): Page | undefined {
  if (last === undefined && before === undefined) return undefined;
  if (last === undefined)
    throw invalid(`\`before\` needs \`last\`, and \`last\` must be a whole number from 1 to ${MOST}.`);
  const page = { last: numberIn(last), ...(before !== undefined && { before: numberIn(before) }) };
  if (!(page.last <= MOST))
    throw invalid(`\`last\` must be a whole number from 1 to ${MOST}; got ${shown(last)}.`);
  if (Number.isNaN(page.before))
    throw invalid(
      `\`before\` must be the \`before\` of an earlier response, e.g. 120; got ${shown(before)}.`,
    );
  return page;
}

/** Returns `NaN` for everything but a whole number from 1. */
function numberIn(text = ""): number {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : Number.NaN;
}

/** Quotes a value of the query, shortened. */
function shown(text = ""): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}

function invalid(message: string) {
  return refusal(400, "invalid_input", message);
}
