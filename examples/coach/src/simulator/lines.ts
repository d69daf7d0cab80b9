import type { Reply } from "@pawl/testing";

/** Three directions for a conversation, which the coach offers as buttons. */
export const directions = {
  plan: "Plan my day",
  reflect: "Reflect on yesterday",
  mind: "Something is on my mind",
} as const;

/** Greets the user and offers the directions as buttons. */
export function greeting(first: boolean): Reply {
  const text = first
    ? "Good morning, I'm Sage. I have no agenda of my own: we can give the day a shape, look back for a moment, or talk about whatever is there.\n\nHow is your morning so far?"
    : "Good to hear from you. Where shall we begin this time?";
  const options = Object.entries(directions).map(([id, label]) => ({ id, label }));
  return { text, tools: [{ name: "show_options", input: { question: "Where shall we start?", options } }] };
}

/** Returns the question for a chosen direction. */
export function followUp(chosen: string): string {
  switch (chosen) {
    case directions.plan:
      return "Good. Empty your head for a moment: **what is on for today?** Anything goes, in any order. Name hours if there are any, and I will put it in shape.";
    case directions.reflect:
      return "Let's look back, then. Of all that happened yesterday, **which moment is still with you?** It does not have to be an important one.";
    case directions.mind:
      return "I'm here. Take your time, and start anywhere. **What is it about?**";
    default:
      return `"${chosen}" it is. Tell me a little more: what would be a good outcome?`;
  }
}

/** Repeats the user's words and asks a question. */
export function reflection(said: string, nth: number): string {
  const questions = [
    "What about it matters most to you right now?",
    "What would a first small step look like?",
    "If a friend told you this, what would you ask them?",
    "What do you already know about it that you are not saying yet?",
  ];
  return `So: *${excerpt(said)}* I'd like to stay with that for a moment. ${questions[nth % questions.length]}`;
}

/** A text with every kind of Markdown that the page renders. */
export const showcase = `## A page of everything

Plain words carry most of a conversation. Now and then a **shape** helps, or a *slant*, or something ~~crossed out~~.

| Part of the day | Good for | Guard it from |
| --- | --- | --- |
| Early | The hard thing | Messages |
| Midday | People | One more meeting |
| Late | Loose ends | New beginnings |

> Plans are made of verbs.

- [x] Say it in one sentence
- [ ] Do the first two minutes of it

\`\`\`ts
const day = plan({ first: "the hard thing" });
\`\`\`

More about lists like this one is written [elsewhere](https://commonmark.org/help/).`;

/** A long text, to try streaming and the stop button. */
export const longTalk = [
  "Here is how I think about a week, from one end to the other.",
  ...["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"].map(
    (day, n) =>
      `**${day}** ${
        [
          "is for choosing. Most of what presses on a Monday morning was decided by somebody else; take half an hour before you open anything, and write down the one result that would make the week worth it.",
          "is for depth. The noise of the start has settled and nothing is due yet, so give your best two hours to the thing you would otherwise keep for a quiet day that never comes.",
          "is for people. Ask one question you really want answered, and leave room for the answer. Much of what looks like a problem of time in the middle of a week is a conversation that was put off.",
          "is for finishing. Nothing new begins today. Look at what is nearly done, bring it over the line, and be honest about what will not make it: say so now, while it is still a choice.",
          "is for looking back. Three lines are enough: what worked, what it cost, and what you want to carry over. Then close the lid. A week that never ends cannot be looked back on.",
        ][n]
      }`,
  ),
  "And the weekend is not a reward for any of it. Which of these days is hardest for you?",
].join("\n\n");

/** The answer when the session is complete. */
export const goodbye =
  "Thank you for the time. Everything worth keeping is in your notes, and I'm here whenever you want to pick it up again. Take good care of yourself.";

/** Returns the beginning of a text, at most `most` characters, ending in a full stop. */
export function excerpt(text: string, most = 140): string {
  const line = text
    .replace(/[*_`<>[\]]/g, "")
    .replace(/\s+/g, " ")
    .trim();
  const short =
    line.length <= most ? line : `${line.slice(0, line.lastIndexOf(" ", most) + 1 || most).trim()}…`;
  return /[.!?…]$/.test(short) ? short : `${short}.`;
}

/** The answer when an arc is complete and the conversation is open again. */
export const backAgain =
  "Good. That part is done, and it is all in your notes. I'm still here: is there anything else you want to talk about?";

/** The closing words of a run that reached a limit. */
export const landing =
  "This is as far as I get in one go. Everything saved is in your notes. Send me a message and we'll continue from here.";

/** Returns the summary of a long conversation. */
export function summary(transcript: string): string {
  const said = [...transcript.matchAll(/^user: (.+)$/gm)].map(([, line = ""]) => `- ${excerpt(line, 200)}`);
  return ["What the person has said so far:", ...said].join("\n");
}

/** The answer when the user keeps the old life plan. */
export const planKept =
  "Then your life plan stays as it is. What would you like to be different before I write it down?";
