/**
 * A link over the lists, for keyboard users. It sets the focus in code, because the address's hash names the
 * session.
 */
export function SkipLink({ to, words = "Skip to the conversation" }: { to: string; words?: string }) {
  return (
    <a
      className="skip"
      href={`#${to}`}
      onClick={(event) => {
        event.preventDefault();
        document.getElementById(to)?.focus();
      }}
    >
      {words}
    </a>
  );
}
