import { type FormEvent, useId, useState } from "react";
import { type CustomAgent, Refusal } from "../base/agents.ts";
import type { Person, SearchServer } from "../base/server.ts";
import { sourceName } from "../base/sources.ts";
import { agentOf, type Fields, fieldsOf, problemIn, SEARCHED } from "./fields.ts";
import { Sharing } from "./sharing.tsx";

interface Props {
  /** The agent to change; `undefined` for a new one. */
  agent: CustomAgent | undefined;
  server: SearchServer;
  person: Person;
  people: readonly Person[];
  /** Rejects never. */
  onSaved(id: string, name: string): Promise<void>;
  onCancel(): void;
}

/** The form of an agent. */
export function AgentForm({ agent, server, person, people, onSaved, onCancel }: Props) {
  const others = people.filter((one) => one.email !== person.email && isColleague(one, person));
  const [fields, setFields] = useState<Fields>(() => fieldsOf(agent, others));
  const [problem, setProblem] = useState("");
  const [isSaving, setSaving] = useState(false);
  const change = (changes: Partial<Fields>) => setFields((before) => ({ ...before, ...changes }));
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const wrong = problemIn(fields);
    setProblem(wrong);
    if (wrong !== "" || isSaving) return;
    setSaving(true);
    try {
      const draft = agentOf(fields);
      await onSaved(await server.saveAgent(draft, agent?.id), draft.name);
    } catch (error) {
      setProblem(error instanceof Refusal ? error.message : "The agent could not be saved. Try again.");
      setSaving(false);
    }
  };
  return (
    <form className="es-agent-form" onSubmit={(event) => void save(event)} noValidate>
      <h3>{agent === undefined ? "New agent" : `Change “${agent.name}”`}</h3>
      <TextField label="Name" most={80} value={fields.name} onChange={(name) => change({ name })} isFirst />
      <TextField
        label="What it is good for"
        hint="Beacon chooses agents by this text."
        {...{ most: 500, rows: 2, value: fields.description }}
        onChange={(description) => change({ description })}
      />
      <TextField
        label="Instructions"
        hint="Everybody who may use the agent can read them."
        {...{ most: 8_000, rows: 6, value: fields.instructions }}
        onChange={(instructions) => change({ instructions })}
      />
      <fieldset>
        <legend>Searches in</legend>
        {SEARCHED.map((source) => (
          <label key={source} className="es-agent-check">
            <input
              type="checkbox"
              checked={fields.sources.includes(source)}
              onChange={({ currentTarget: { checked } }) =>
                change({
                  sources: SEARCHED.filter((one) =>
                    one === source ? checked : fields.sources.includes(one),
                  ),
                })
              }
            />
            {sourceName(source)}
          </label>
        ))}
      </fieldset>
      <Sharing {...{ fields, others, change }} />
      {problem !== "" && (
        <p role="alert" className="es-agents-failed" data-testid="es-agent-problem">
          {problem}
        </p>
      )}
      <p className="es-agent-actions">
        <button type="submit" className="es-button" aria-disabled={isSaving} data-testid="es-agent-save">
          {isSaving ? "Saving…" : "Save"}
        </button>
        <button type="button" className="es-more" onClick={onCancel}>
          Cancel
        </button>
      </p>
    </form>
  );
}

function isColleague(one: Person, person: Person): boolean {
  const companyOf = ({ email }: Person) => email.slice(email.lastIndexOf("@") + 1);
  return companyOf(one) === companyOf(person);
}

interface TextFieldProps {
  label: string;
  hint?: string;
  most: number;
  /** The number of lines; one line without it. */
  rows?: number;
  value: string;
  onChange(value: string): void;
  /** Whether the field takes the focus when the form is shown. */
  isFirst?: boolean;
}

function TextField({ label, hint, most, rows, value, onChange, isFirst = false }: TextFieldProps) {
  const id = useId();
  const shared = {
    ...{ id, value, maxLength: most, required: true, className: "es-field", autoComplete: "off" },
    ...(hint !== undefined && { "aria-describedby": `${id}-hint` }),
  };
  return (
    <div className="es-agent-field">
      <label htmlFor={id}>{label}</label>
      {rows === undefined ? (
        // biome-ignore lint/a11y/noAutofocus: the user has asked for this form
        <input {...shared} autoFocus={isFirst} onChange={(event) => onChange(event.currentTarget.value)} />
      ) : (
        <textarea {...shared} rows={rows} onChange={(event) => onChange(event.currentTarget.value)} />
      )}
      {hint !== undefined && (
        <span id={`${id}-hint`} className="es-soft">
          {hint}
        </span>
      )}
    </div>
  );
}
