import { useQueryClient } from "@tanstack/react-query";
import { type Failure, request, SESSION, useAnswer } from "@/api";

/** Who is asking, as GET /api/v2/session says. */
export interface Session {
  mode: "single_user" | "key" | "gateway" | "anonymous";
  user: string | null;
  roles: string[];
  tenant: { code: string; name: string } | null;
  tenants: { code: string; name: string }[];
  features: string[];
  version: string;
}

export function useSession(): { session: Session | null; error: Failure | null; isLoading: boolean } {
  const { data, error, isLoading } = useAnswer<Session>(SESSION);
  return { session: data ?? null, error, isLoading };
}

/** Whether the session has this role; an administrator has every role that the server lists for it. */
export function mayDo(session: Session | null, role: string): boolean {
  return session !== null && (session.mode === "single_user" || session.roles.includes(role));
}

export function useSigning(): { signIn: (key: string) => Promise<void>; signOut: () => Promise<void> } {
  const client = useQueryClient();
  return {
    signIn: async (key) => {
      await request("POST", SESSION, { body: { key } });
      client.clear();
    },
    signOut: async () => {
      await request("DELETE", SESSION);
      client.clear();
    },
  };
}
