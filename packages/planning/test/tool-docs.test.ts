import { describe, expect, it } from "vitest";
import { checkToolDocs, chooseToolDocs, parseToolDocs } from "../src/index.ts";
import { plans, searches, worldOf } from "./support/world.ts";

const file = `# Tools

This file is read when the program starts.

## search_gmail
- Summary: Searches **the mail** of the user.
- Parameters:
  - query (string, required) – words to look for
- Example:
  \`\`\`json
  { "query": "Q4 forecast" }
  \`\`\`

Mail is older than chat.

## search_slack

- **Summary:** Searches messages in channels.
- **Parameters:**
  - \`query\` (string, required): words, with colons: fine
- Example: \`{ "query": "Q4" }\`

## summarize
- Summary: Summarises what was found.
`;

describe("parseToolDocs", () => {
  it("T9 reads summaries, parameters and examples, also where the Markdown varies", () => {
    const docs = parseToolDocs(file);
    expect(docs.map(({ tool }) => tool)).toEqual(["search_gmail", "search_slack", "summarize"]);
    expect(docs[0]).toMatchObject({
      summary: "Searches **the mail** of the user.",
      parameters: [{ name: "query", type: "string", required: true, description: "words to look for" }],
      examples: [{ query: "Q4 forecast" }],
    });
    expect(docs[0]?.text).toContain("Mail is older than chat.");
    expect(docs[1]).toMatchObject({
      summary: "Searches messages in channels.",
      parameters: [{ name: "query", description: "words, with colons: fine" }],
      examples: [{ query: "Q4" }],
    });
    expect(parseToolDocs(`\uFEFF${file.replaceAll("\n", "\r\n")}`).map(({ examples }) => examples)).toEqual(
      docs.map(({ examples }) => examples),
    );
  });

  it("T9 names every mistake of the file", () => {
    const wrong = "## a\n- Parameters:\n  - (string)\n- Example: `{ no json }`\n## a\n- Summary: Twice.";
    expect(() => parseToolDocs(wrong)).toThrow(
      /A parameter of "a" cannot be read: "\(string\)"\. An example of "a" is not JSON: \{ no json \} "a" has no summary: add "- Summary: …"\. "a" is described twice\./,
    );
    expect(() => parseToolDocs("Nothing.")).toThrow("There is no section");
  });
});

describe("checkToolDocs", () => {
  it("T9 finds no difference between the tools and their descriptions", async () => {
    expect(await checkToolDocs(parseToolDocs(file), searches())).toEqual([]);
  });

  it("T9 names each difference", async () => {
    const changed =
      `${file.replace("## summarize", "## summarise")}- Parameters:\n  - depth (number, optional)\n`
        .replace("- query (string, required) – words to look for", "- q (string, required)")
        .replace('`{ "query": "Q4" }`', '`{ "query": 4 }`')
        .replace("`query` (string, required)", "`query` (number, optional)");
    expect(await checkToolDocs(parseToolDocs(changed), searches())).toEqual([
      '"summarize" is not described.',
      'The parameter "query" of "search_gmail" is not described.',
      'The parameter "q" of "search_gmail" does not exist. The parameters are: query.',
      'The parameter "query" of "search_slack" is required, but not described as required.',
      'The parameter "query" of "search_slack" is described as number, but is of type string.',
      'Example 1 of "search_slack" is refused by the tool: query: Invalid input: expected string, received number.',
      '"summarise" is described, but is not a tool.',
    ]);
  });
});

describe("chooseToolDocs", () => {
  const docs = parseToolDocs(file);

  it("T9 chooses by relevance within a budget, and says why", () => {
    const { chosen, left, tokens, text } = chooseToolDocs(docs, {
      query: "What do the messages in Slack say?",
    });
    expect(chosen).toMatchObject([{ tool: "search_slack", why: 'has "message", "slack"' }]);
    expect(left.map(({ tool, why }) => [tool, why])).toEqual([
      ["search_gmail", "has no word of the request"],
      ["summarize", "has no word of the request"],
    ]);
    expect(tokens).toBe(Math.ceil(text.length / 4));

    const tight = chooseToolDocs(docs, {
      query: "Search mail and messages",
      maxTokens: tokens,
      first: ["summarize"],
    });
    expect(tight.tokens).toBeLessThanOrEqual(tokens);
    expect(tight.chosen).toMatchObject([{ tool: "summarize", why: "is in the plan" }]);
    expect(tight.left.every(({ why }) => why.endsWith(`tokens over the budget of ${tokens}`))).toBe(true);

    const one = chooseToolDocs(docs, { query: "Search mail and messages", most: 1 });
    expect(one.left[0]?.why).toBe("1 other is more relevant");
  });

  it("T9 the model reads no description of a tool that the agent does not have", async () => {
    const all = [...docs, ...parseToolDocs("## delete_mail\n- Summary: Deletes the mail about Q4.")];
    const world = worldOf({ small: [plans()], main: [{ text: "Ok." }] }, { docs: { docs: all } });
    const { sessionId } = await world.say("Delete the mail about Q4.");
    expect(JSON.stringify(await world.of(sessionId, "planning.docs"))).not.toContain("delete_mail");
    expect(JSON.stringify(world.model.requests)).not.toContain("delete_mail");
  });

  it("T9 C10 the model reads the descriptions for its plan once, and the log has the reason for each", async () => {
    const world = worldOf(
      { small: [plans(), plans({ tasks: [] })], main: [{ text: "Ok." }, { text: "Ok." }] },
      { docs: { docs, most: 2 } },
    );
    const { sessionId } = await world.say("What does Alex say about Q4?");
    const [chosen] = await world.of(sessionId, "planning.docs");
    expect(chosen).toMatchObject({
      chosen: [
        { tool: "search_gmail", why: "is in the plan" },
        { tool: "search_slack", why: "is in the plan" },
      ],
      left: [{ tool: "summarize", why: "2 others are more relevant" }],
    });
    await world.say("And in the mail?", { sessionId });
    const last = JSON.stringify(world.model.requests[1]?.messages);
    expect(last.match(/<ToolDescriptions>/g)).toHaveLength(1);
    expect(last.match(/## search_gmail/g)).toHaveLength(1);
    expect((await world.record(sessionId)).docs?.chosen[0]?.why).toBe('has "mail"');
  });
});
