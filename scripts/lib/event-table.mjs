import ts from "typescript";

/** The page that has the table. */
export const EVENT_PAGE = "docs/events.md";

const BEGIN =
  "<!-- `npm run events` writes this table from the doc comments of EventData and LiveEventData. -->";
const END = "<!-- end of the table -->";

/**
 * Returns the page with its table written anew from the vocabulary. The text around the table stays.
 *
 * @param {string} page
 * @param {{ stored: string, live: string }} sources the texts of the files that declare `EventData` and
 *   `LiveEventData`
 * @throws Error if the page lacks the marks around its table, or an event lacks its doc comment
 */
export function withEventTable(page, { stored, live }) {
  const [before, , after] = parts(page);
  const rows = [
    ...rowsOf(stored, "EventData").map((row) => ({ ...row, kind: "stored" })),
    ...rowsOf(live, "LiveEventData").map((row) => ({ ...row, kind: "live" })),
  ].map(({ name, kind, when, fields }) => `| \`${name}\` | ${kind} | ${when} | ${fields} |`);
  const table = [
    "| event | stored or live | when it comes | fields of `data` |",
    "|---|---|---|---|",
    ...rows,
  ];
  return `${before}${BEGIN}\n\n${table.join("\n")}\n\n${END}${after}`;
}

function parts(page) {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`${EVENT_PAGE} needs the lines "${BEGIN}" and "${END}".`);
  return [page.slice(0, begin), page.slice(begin, end), page.slice(end + END.length)];
}

/**
 * The events that an interface declares: their names, the first sentences of their comments, their fields.
 */
function rowsOf(text, interfaceName) {
  const source = ts.createSourceFile("events.ts", text, ts.ScriptTarget.Latest, true);
  const interfaces = new Map(
    source.statements
      .filter((one) => ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one))
      .map((one) => [one.name.text, ts.isTypeAliasDeclaration(one) ? one.type : one]),
  );
  const events = interfaces.get(interfaceName);
  if (events === undefined) throw new Error(`There is no interface ${interfaceName}.`);
  return events.members.map((member) => {
    const name = member.name.getText();
    const when = firstSentence(commentOf(member));
    if (when === "") throw new Error(`The event ${name} needs a doc comment that says when it comes.`);
    const fields = fieldsOf(member.type, interfaces).map((field) => `\`${field}\``);
    return { name, when, fields: fields.join(", ") };
  });
}

function commentOf(node) {
  const [doc] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  return ts.getTextOfJSDocComment(doc?.comment) ?? "";
}

/** The text up to its first full stop before a space. A stop after "e.g" is part of the sentence. */
function firstSentence(comment) {
  const line = comment.replace(/\s+/g, " ").trim();
  return (line.match(/^.*?(?<!\b(?:e\.g|i\.e))\.(?= |$)/)?.[0] ?? line).replaceAll("|", "\\|");
}

/** The fields of a payload: of an object type, of a type of the same text, or of several together. */
function fieldsOf(type, interfaces) {
  if (ts.isIntersectionTypeNode(type)) return type.types.flatMap((one) => fieldsOf(one, interfaces));
  const declared = ts.isTypeReferenceNode(type) ? interfaces.get(type.typeName.getText()) : type;
  if (declared?.members === undefined) throw new Error(`The type ${type.getText()} has no fields.`);
  return declared.members.map(({ name, questionToken }) => `${name.getText()}${questionToken ? "?" : ""}`);
}
