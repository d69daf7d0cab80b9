import { Avatar, SourceIcon } from "../base/icons.tsx";
import { kindName } from "../base/sources.ts";
import { clipped, dayOf } from "../base/words.ts";
import type { ShownChoice } from "./question.ts";

/** The words of a choice: a person with their role, team and last message, or a text. */
export function ChoiceWords({ choice: { label, detail, person } }: { choice: ShownChoice }) {
  if (person === undefined) {
    return (
      <span className="es-choice-words">
        <strong>{clipped(label, 200)}</strong>
        {detail !== "" && <span className="es-soft">{clipped(detail, 300)}</span>}
      </span>
    );
  }
  const { initials, role, team, department, last } = person;
  const place = [team, department].filter((one) => one !== "").join(", ");
  return (
    <>
      <Avatar initials={initials} name={label} />
      <span className="es-choice-words">
        <strong>{clipped(label, 200)}</strong>
        <span className="es-soft">{[role, place].filter((one) => one !== "").join(" · ")}</span>
        {last && (
          <span className="es-choice-last">
            <SourceIcon source={last.source} />
            <span>
              <span className="unseen">Last {kindName(last.source).toLowerCase()}: </span>
              {clipped(last.title, 120)}
              <span className="es-soft"> · {dayOf(last.at)}</span>
            </span>
          </span>
        )}
      </span>
    </>
  );
}
