import type { Json } from "@pawl/core";
import { type ComponentType, useState } from "react";
import { fieldsOf, type MarkdownView, type QuestionProps, textIn } from "../base/seam.ts";

/** Asks whether the life plan may be replaced, and shows the new one. The first tap disables both buttons. */
export function replacePlan(Markdown: MarkdownView): ComponentType<QuestionProps> {
  return function ReplacePlan({ question, answer }) {
    const [isSent, setSent] = useState(false);
    const content = textIn(fieldsOf(fieldsOf(question.payload).input).content);
    const give = async (value: Json): Promise<void> => {
      setSent(true);
      // After a refusal, the question is open again; the page shows the reason.
      if (!(await answer?.(value))) setSent(false);
    };
    return (
      <fieldset className="options" data-testid="replace-plan" disabled={answer === undefined || isSent}>
        <legend>Replace your life plan with this one?</legend>
        {content !== undefined && (
          // Focusable, so that a long plan scrolls with the keyboard too.
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region
          <section className="new-plan" aria-label="The new plan" tabIndex={0}>
            <Markdown text={content} />
          </section>
        )}
        <div className="pills">
          <button
            type="button"
            className="pill"
            data-testid="plan-replace"
            onClick={() => void give({ approved: true })}
          >
            Replace it
          </button>
          <button
            type="button"
            className="pill"
            data-testid="plan-keep"
            onClick={() => void give({ approved: false })}
          >
            Keep the old one
          </button>
        </div>
        {answer && <p className="options-hint">or say below what should be different</p>}
      </fieldset>
    );
  };
}
