import { Component, type ReactNode } from "react";

/** Code of the page that could not be fetched. Loading the page again helps, so the page's own {@link Boundary} shows it. */
export class NotLoaded extends Error {}

interface ErrorBoundaryProps {
  /** Shown where `children` fail to render. */
  instead: ReactNode;
  /** Rendering is tried again when this changes. */
  of?: unknown;
  children: ReactNode;
}

/** Around one part of the page: a part that fails to render costs only itself. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { error?: unknown }> {
  override state: { error?: unknown } = {};

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override componentDidUpdate(before: ErrorBoundaryProps, { error }: { error?: unknown }): void {
    if (error !== undefined && before.of !== this.props.of) this.setState({ error: undefined });
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error instanceof NotLoaded) throw error;
    return error === undefined ? this.props.children : this.props.instead;
  }
}
