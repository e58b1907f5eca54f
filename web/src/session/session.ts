// Who is signed in. The access token lives in memory; the refresh secret in this tab's session storage, so that a reload does not ask again.
import { Failure, get, postSwitch, postToken, type Login } from '../wire/rest';
import { IdleWatch, type IdleState } from './idle';
import { t } from '../words';

const STORED = 'switchyard.refresh';
/** Where the tabs of a browser tell each other that the person is there. */
const PRESENT = 'switchyard.present';
/** Signs are told to other tabs at most this often. */
const TELL_EVERY_MS = 10_000;
const RENEW_BEFORE_MS = 60_000;

type Listener = () => void;

class Session {
  private login: Login | null = null;
  private listeners = new Set<Listener>();
  private timer: ReturnType<typeof setTimeout> | null = null;
  private parted = false;
  /** A sign of the person since the server was last told of one. */
  private wasThere = false;
  private away = new Set<(state: IdleState) => void>();
  private renewed = new Set<Listener>();
  private resuming: Promise<boolean> | null = null;
  /** Counts sessions that were given up: an answer that belongs to one of them is not taken. */
  private given = 0;

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

  /** With `otp` where the person has a second factor: six digits, or a recovery code. */
  async signIn(username: string, password: string, otp = ''): Promise<Login> {
    return this.take(await postToken({ username, password, feui: '1', ...(otp && { otp }) }));
  }

  /**
   * Signs in again with the refresh secret of this tab; false when there is none or it is worth nothing any more. Whoever asks while it is under way
   * gets the same answer: a secret that is shown twice looks stolen.
   */
  resume(): Promise<boolean> {
    this.resuming ??= this.renew().finally(() => (this.resuming = null));
    return this.resuming;
  }

  private async renew(): Promise<boolean> {
    const secret = sessionStorage.getItem(STORED);
    if (!secret) return false;
    const { given } = this;
    try {
      const login = await postToken({ feui: '1', ref: secret });
      if (given !== this.given) {
        // Signed out while it was under way: what has come is given back.
        await get(login.token, `member/logout/${login.id}`).catch(() => undefined);
        return false;
      }
      this.take(login);
      this.bearWitness();
      for (const listener of this.renewed) listener();
      return true;
    } catch (error) {
      // Only a server that says no takes the session away; one that cannot be reached is asked again.
      if (error instanceof Failure && error.status === 403) this.forget();
      else this.plan(10_000);
      return false;
    }
  }

  /** Whether the session ended because the person wanted it to. */
  hasParted = (): boolean => this.parted;

  async signOut(): Promise<void> {
    const login = this.login;
    this.parted = true;
    if (login) await get(login.token, `member/logout/${login.id}`).catch(() => undefined);
    this.forget();
  }

  forget(): void {
    this.given += 1;
    sessionStorage.removeItem(STORED);
    if (this.timer) clearTimeout(this.timer);
    this.login = null;
    this.tell();
  }

  /** Renewing is no sign of the person to the server. Who only watches makes no calls: so one is made for them when they were there since the last. */
  private bearWitness(): void {
    if (!this.login || !this.wasThere) return;
    this.wasThere = false;
    void get(this.login.token, `role/rolepages/${this.login.roleId}`).catch(() => undefined);
  }

  /** Goes over into another utility (role 1): a new session there, the one here ends. */
  async switchClient(client: number): Promise<void> {
    if (!this.login) return;
    this.take(await postSwitch(this.login.token, client));
  }

  /** Called when the person is warned of being away for too long, and when they are back. */
  onIdle(listener: (state: IdleState) => void): () => void {
    this.away.add(listener);
    return () => this.away.delete(listener);
  }

  /** Ends the session after three hours without a sign of the person in any tab (specification 1, section 4). */
  watchIdle(): () => void {
    const watch = new IdleWatch((state) => {
      for (const listener of this.away) listener(state);
      if (state === 'away') void this.signOut();
    });
    let told = 0;
    const sign = () => {
      watch.sign();
      this.wasThere = true;
      if (Date.now() - told < TELL_EVERY_MS) return;
      told = Date.now();
      localStorage.setItem(PRESENT, String(told));
    };
    const heard = (event: StorageEvent) => {
      if (event.key !== PRESENT) return;
      watch.sign(Number(event.newValue) || 0);
    };
    const signs = ['mousemove', 'click', 'scroll', 'keydown', 'touchstart'];
    for (const kind of signs) window.addEventListener(kind, sign, { passive: true });
    window.addEventListener('storage', heard);
    return () => {
      for (const kind of signs) window.removeEventListener(kind, sign);
      window.removeEventListener('storage', heard);
      watch.stop();
    };
  }

  private take(login: Login): Login {
    this.login = login;
    this.parted = false;
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
  if (username.trim() === '') return t('session.pleaseEnterUsername');
  if (password === '') return t('session.pleaseEnterPassword');
  return null;
}

/** A path to go to after signing in: on this site only. */
export function safeRedirect(target: string | null): string {
  return target && /^\/(?![/\\])/.test(target) ? target : '/dashboard';
}
