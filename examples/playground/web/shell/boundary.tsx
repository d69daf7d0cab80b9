import { Component, type ReactNode } from "react";

interface BoundaryProps {
  /** The name of the content. Failed content is rendered again when the name changes. */
  of: string | undefined;
  /** Shown if the content fails. Default: an explanation and a button that reloads the page. */
  instead?: ReactNode;
  children: ReactNode;
}

/**
 * Wraps content whose code is loaded on demand. If loading or rendering fails, the rest of the page still
 * works.
 */
export class Boundary extends Component<BoundaryProps, { failed: boolean }> {
  override state: { failed: boolean } = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override componentDidUpdate(before: BoundaryProps, state: { failed: boolean }): void {
    if (state.failed && before.of !== this.props.of) this.setState({ failed: false });
  }

  override render(): ReactNode {
    const { children, instead = <NotShown /> } = this.props;
    return this.state.failed ? instead : children;
  }
}

function NotShown() {
  return (
    <div className="not-shown" role="alert" data-testid="not-shown">
      <p>
        This part of the page could not be loaded. You may be offline, or there may be a newer version of the
        page. Your conversations are safe.
      </p>
      <button type="button" className="text-button" onClick={() => location.reload()}>
        Load the page again
      </button>
    </div>
  );
}
