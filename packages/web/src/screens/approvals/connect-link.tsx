import { Link } from "wouter";

/** Where the person connects the account that a call needs; the run then continues. */
export const ConnectLink = ({ id }: { id: string }) => (
  <p>
    <Link href={`/connections/connect?approval=${id}`} className="font-medium text-accent-ink underline">
      Connect the account
    </Link>
  </p>
);
