import { Component, type ReactNode } from "react";
import { FailureNote } from "../kit/states.tsx";
import { failureOf } from "../server/api.ts";

/** A crashed screen shows an error; the navigation and the other screens still work. */
export class CrashNote extends Component<{ children: ReactNode }, { error?: unknown }> {
  override state: { error?: unknown } = {};

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return (
      <div className="mx-auto max-w-3xl p-8">
        <FailureNote failure={failureOf(this.state.error)} onRetry={() => location.reload()} />
      </div>
    );
  }
}
