/**
 * Skips the lists, for keyboard users. Sets the focus in code, because the hash in the address belongs to the
 * session.
 */
export function SkipLink({ to }: { to: string }) {
  return (
    <a
      className="skip"
      href={`#${to}`}
      onClick={(event) => {
        event.preventDefault();
        document.getElementById(to)?.focus();
      }}
    >
      Skip to the conversation
    </a>
  );
}
