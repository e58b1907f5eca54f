// Who is signed in. The access token lives in memory; the refresh secret in this tab's session storage, so that a reload does not ask again.
import { Failure, get, postToken, type Login } from '../wire/rest';

const STORED = 'switchyard.refresh';
const IDLE_MS = 10_800_000;
const RENEW_BEFORE_MS = 60_000;

type Listener = () => void;

class Session {
  private login: Login | null = null;
  private listeners = new Set<Listener>();
  private timer: ReturnType<typeof setTimeout> | null = null;
  private idle: ReturnType<typeof setTimeout> | null = null;
  private renewed = new Set<Listener>();

  current = (): Login | null => this.login;
  token = (): string | null => this.login?.token ?? null;

  subscribe = (listener: Listener): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Called when the token was renewed, so that open sockets can show the new one. */
  onRenewed(listener: Listener): () => void {
    this.renewed.add(listener);
    return () => this.renewed.delete(listener);
  }

  async signIn(username: string, password: string): Promise<Login> {
    return this.take(await postToken({ username, password, feui: '1' }));
  }

  /** Signs in again with the refresh secret of this tab; false when there is none or it is worth nothing any more. */
  async resume(): Promise<boolean> {
    const secret = sessionStorage.getItem(STORED);
    if (!secret) return false;
    try {
      this.take(await postToken({ feui: '1', ref: secret }));
      for (const listener of this.renewed) listener();
      return true;
    } catch (error) {
      // Only a server that says no takes the session away; one that cannot be reached is asked again.
      if (error instanceof Failure && error.status === 403) this.forget();
      else this.plan(10_000);
      return false;
    }
  }

  async signOut(): Promise<void> {
    const login = this.login;
    if (login) await get(login.token, `member/logout/${login.id}`).catch(() => undefined);
    this.forget();
  }

  forget(): void {
    sessionStorage.removeItem(STORED);
    if (this.timer) clearTimeout(this.timer);
    this.login = null;
    this.tell();
  }

  /** Ends the session after three hours without a sign of the person (specification 1, section 4). */
  watchIdle(): () => void {
    const restart = () => {
      if (this.idle) clearTimeout(this.idle);
      this.idle = setTimeout(() => {
        if (!this.login) return;
        alert('you will be logged out soon');
        void this.signOut();
      }, IDLE_MS);
    };
    const signs = ['mousemove', 'click', 'scroll', 'keydown', 'touchstart'];
    for (const sign of signs) window.addEventListener(sign, restart, { passive: true });
    restart();
    return () => {
      for (const sign of signs) window.removeEventListener(sign, restart);
    };
  }

  private take(login: Login): Login {
    this.login = login;
    sessionStorage.setItem(STORED, login.ref);
    this.plan(Math.max(5_000, Date.parse(login.aliveTill) - Date.now() - RENEW_BEFORE_MS));
    this.tell();
    return login;
  }

  private plan(ms: number): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.resume(), ms);
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

export const session = new Session();

/** The first thing that is missing, in the specification's words; null when both are there. */
export function missingCredential(username: string, password: string): string | null {
  if (username.trim() === '') return 'Please enter username';
  if (password === '') return 'Please enter password';
  return null;
}

/** A path to go to after signing in: on this site only. */
export function safeRedirect(target: string | null): string {
  return target && /^\/(?![/\\])/.test(target) ? target : '/dashboard';
}
