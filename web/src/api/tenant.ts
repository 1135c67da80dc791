let tenant: string | null = null;

/** Code of the tenant whose data is asked for; null means that of the credential. Set by the frame from the URL. */
export function currentTenant(): string | null {
  return tenant;
}

export function setTenant(code: string | null): void {
  tenant = code;
}
