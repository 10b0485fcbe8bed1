// One request as JSON on standard input, one answer as JSON on standard output.
// Keys come and go as JWK, so that both sides can be issuer, holder and verifier.
import * as nodeCrypto from 'node:crypto';

const read = async () => {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
};

const isEd = jwk => jwk.kty === 'OKP';
const signer = jwk => {
  const key = nodeCrypto.createPrivateKey({key: jwk, format: 'jwk'});
  return data => (isEd(jwk)
    ? nodeCrypto.sign(null, Buffer.from(data), key)
    : nodeCrypto.sign('sha256', Buffer.from(data), {key, dsaEncoding: 'ieee-p1363'})).toString('base64url');
};
const verifier = jwk => {
  const key = nodeCrypto.createPublicKey({key: jwk, format: 'jwk'});
  return (data, signature) => {
    const raw = Buffer.from(signature, 'base64url');
    return isEd(jwk)
      ? nodeCrypto.verify(null, Buffer.from(data), key, raw)
      : nodeCrypto.verify('sha256', Buffer.from(data), {key, dsaEncoding: 'ieee-p1363'}, raw);
  };
};

// --- SD-JWT VC: @sd-jwt/sd-jwt-vc --------------------------------------------------------------------
const sdIssue = async ({alg, issuer, holder, payload, frame, reveal, kid, audience, nonce, now}) => {
  const {SDJwtVcInstance} = await import('@sd-jwt/sd-jwt-vc');
  const {digest, generateSalt} = await import('@sd-jwt/crypto-nodejs');
  const instance = new SDJwtVcInstance({
    signer: signer(issuer), signAlg: alg, hasher: digest, hashAlg: 'sha-256', saltGenerator: generateSalt,
    kbSigner: signer(holder), kbSignAlg: alg,
  });
  const issued = await instance.issue(payload, frame, {header: {kid}});
  const presented = await instance.present(issued, reveal, {kb: {payload: {iat: now, aud: audience, nonce}}});
  return {issued, presented};
};

const sdVerify = async ({token, issuer, nonce, required}) => {
  const {SDJwtVcInstance} = await import('@sd-jwt/sd-jwt-vc');
  const {digest, generateSalt} = await import('@sd-jwt/crypto-nodejs');
  const instance = new SDJwtVcInstance({
    verifier: verifier(issuer), hasher: digest, hashAlg: 'sha-256', saltGenerator: generateSalt,
    kbVerifier: (data, signature, payload) => verifier(payload.cnf.jwk)(data, signature),
  });
  const result = await instance.verify(token, {requiredClaimKeys: required, keyBindingNonce: nonce});
  return {payload: result.payload, audience: result.kb?.payload?.aud};
};

// The JSON form of RFC 9901 section 8; the package comes with @sd-jwt/sd-jwt-vc.
const jsonForm = async general => {
  const core = await import('@sd-jwt/core');
  return general ? core.GeneralJSON : core.FlattenJSON;
};
const sdToJson = async ({token, general}) => ({document: (await jsonForm(general)).fromEncode(token).toJson()});
const sdFromJson = async ({document}) => {
  const general = 'signatures' in document;
  const read = (await jsonForm(general)).fromSerialized(document);
  return {token: general ? read.toEncoded(0) : read.toEncoded()};
};

const joseVerify = async ({token, jwk, alg, typ}) => {
  const jose = await import('jose');
  const result = await jose.jwtVerify(token, await jose.importJWK(jwk, alg), {typ, currentDate: new Date(0)});
  return {header: result.protectedHeader};
};

// --- did:webvh: didwebvh-ts ---------------------------------------------------------------------------
const webvh = async () => {
  const lib = await import('didwebvh-ts');
  class Crypto extends lib.AbstractCrypto {
    constructor(jwk, multikey) {
      super({verificationMethod: {type: 'Multikey', publicKeyMultibase: multikey, purpose: 'authentication'}});
      this.key = jwk && nodeCrypto.createPrivateKey({key: jwk, format: 'jwk'});
      this.multikey = multikey;
    }
    async sign(input) {
      const data = await lib.prepareDataForSigning(input.document, input.proof);
      const signature = nodeCrypto.sign(null, Buffer.from(data), this.key);
      return {proofValue: lib.multibaseEncode(signature, lib.MultibaseEncoding.BASE58_BTC)};
    }
    getVerificationMethodId() { return `did:key:${this.multikey}#${this.multikey}`; }
    async verify(signature, message, publicKey) {
      const x = Buffer.from(publicKey).toString('base64url');
      const key = nodeCrypto.createPublicKey({key: {kty: 'OKP', crv: 'Ed25519', x}, format: 'jwk'});
      return nodeCrypto.verify(null, Buffer.from(message), key, Buffer.from(signature));
    }
  }
  return {lib, Crypto};
};

const webvhCreate = async ({jwk, multikey, next}) => {
  const {lib, Crypto} = await webvh();
  const crypto = new Crypto(jwk, multikey);
  const methods = key => [{type: 'Multikey', publicKeyMultibase: key, purpose: 'assertionMethod'}];
  const created = await lib.createDID({
    domain: 'memory.example', signer: crypto, verifier: crypto, updateKeys: [multikey],
    verificationMethods: methods(multikey),
  });
  const updated = await lib.updateDID({
    log: created.log, signer: crypto, verifier: crypto, updateKeys: [next], verificationMethods: methods(next),
  });
  return {did: created.did, log: updated.log.map(entry => JSON.stringify(entry)).join('\n') + '\n'};
};

const webvhResolve = async ({log}) => {
  const {lib, Crypto} = await webvh();
  const entries = log.trim().split('\n').map(line => JSON.parse(line));
  const result = await lib.resolveDIDFromLog(entries, {verifier: new Crypto(null, '')});
  if (result.meta?.error) throw new Error(result.meta.error);
  return {did: result.did, version: result.meta.versionId, document: result.doc};
};

// --- status lists -------------------------------------------------------------------------------------
const statusRead = async ({token, encoded, indexes}) => {
  const {getListFromStatusListJWT} = await import('@sd-jwt/jwt-status-list');
  const {decodeList} = await import('@digitalbazaar/vc-bitstring-status-list');
  const list = getListFromStatusListJWT(token);
  const bits = await decodeList({encodedList: encoded});
  return {token: indexes.map(index => list.getStatus(index)), bits: indexes.map(index => bits.getStatus(index))};
};

const statusWrite = async ({size, set}) => {
  const {StatusList} = await import('@sd-jwt/jwt-status-list');
  const {createList} = await import('@digitalbazaar/vc-bitstring-status-list');
  const list = new StatusList(new Array(size).fill(0), 1);
  const bits = await createList({length: size});
  for (const index of set) { list.setStatus(index, 1); bits.setStatus(index, true); }
  return {lst: list.compressStatusList(), encoded: await bits.encode()};
};

// --- VCDM 1.1 as VC-JWT: did-jwt-vc --------------------------------------------------------------------
const oldJwtIssue = async ({did, kid, seed, payload}) => {
  const {createVerifiableCredentialJwt} = await import('did-jwt-vc');
  const {EdDSASigner} = await import('did-jwt');
  const issuer = {did, alg: 'EdDSA', signer: EdDSASigner(Buffer.from(seed, 'hex'))};
  return {token: await createVerifiableCredentialJwt(payload, issuer, {header: {kid}})};
};

const oldJwtVerify = async ({token, did, kid, jwk}) => {
  const {verifyCredential} = await import('did-jwt-vc');
  const document = {
    '@context': ['https://www.w3.org/ns/did/v1'], id: did, assertionMethod: [kid], authentication: [kid],
    verificationMethod: [{id: kid, type: 'JsonWebKey2020', controller: did, publicKeyJwk: jwk}],
  };
  const resolver = {resolve: async () => ({
    didResolutionMetadata: {}, didDocumentMetadata: {}, didDocument: document,
  })};
  const result = await verifyCredential(token, resolver);
  return {issuer: result.issuer};
};

// --- VCDM 1.1 with Ed25519Signature2020: @digitalbazaar/vc -----------------------------------------------
const linked = async () => {
  const vc = await import('@digitalbazaar/vc');
  const {Ed25519Signature2020} = await import('@digitalbazaar/ed25519-signature-2020');
  const {Ed25519VerificationKey2020} = await import('@digitalbazaar/ed25519-verification-key-2020');
  const {securityLoader} = await import('@digitalbazaar/security-document-loader');
  return {vc, Ed25519Signature2020, Ed25519VerificationKey2020, documentLoader: securityLoader().build()};
};

const linkedIssue = async ({credential, kid, did, publicKeyMultibase, privateKeyMultibase}) => {
  const {vc, Ed25519Signature2020, Ed25519VerificationKey2020, documentLoader} = await linked();
  const key = await Ed25519VerificationKey2020.from({
    id: kid, controller: did, type: 'Ed25519VerificationKey2020', publicKeyMultibase, privateKeyMultibase,
  });
  const suite = new Ed25519Signature2020({key});
  return {credential: await vc.issue({credential, suite, documentLoader, now: new Date('2026-06-01T00:00:00Z')})};
};

const linkedVerify = async ({credential}) => {
  const {vc, Ed25519Signature2020, documentLoader} = await linked();
  const now = new Date('2026-06-01T00:00:00Z');
  const result = await vc.verifyCredential({credential, suite: new Ed25519Signature2020(), documentLoader, now});
  if (!result.verified) throw result.error;
  return {verified: true};
};

// --- HTTP Message Signatures: http-message-signatures -----------------------------------------------------
const httpAlgorithm = jwk => (isEd(jwk) ? 'ed25519' : 'ecdsa-p256-sha256');
const httpSign = async ({jwk, kid, url, body, created, expires, nonce, tag, fields}) => {
  const {httpbis} = await import('http-message-signatures');
  const sign = signer(jwk);
  const alg = httpAlgorithm(jwk);
  const key = {id: kid, alg, sign: async data => Buffer.from(sign(data), 'base64url')};
  const digest = 'sha-256=:' + nodeCrypto.createHash('sha256').update(body).digest('base64') + ':';
  const request = await httpbis.signMessage({
    key, name: 'theirs', fields, params: ['created', 'expires', 'keyid', 'nonce', 'alg', 'tag'],
    paramValues: {created: new Date(created * 1000), expires: new Date(expires * 1000), nonce, tag},
  }, {method: 'POST', url, headers: {'content-type': 'application/json', 'content-digest': digest}});
  return {headers: request.headers};
};
const httpVerify = async ({jwk, kid, url, headers, fields}) => {
  const {httpbis} = await import('http-message-signatures');
  const check = verifier(jwk);
  const keyLookup = async params => (params.keyid !== kid ? null : {
    id: kid, algs: [httpAlgorithm(jwk)],
    verify: async (data, signature) => check(data, Buffer.from(signature).toString('base64url')),
  });
  const verified = await httpbis.verifyMessage({
    keyLookup, requiredFields: fields, requiredParams: ['created', 'expires', 'keyid', 'nonce', 'tag'],
  }, {method: 'POST', url, headers});
  return {verified};
};

const commands = {
  sdIssue, sdVerify, joseVerify, webvhCreate, webvhResolve, statusRead, statusWrite, oldJwtIssue, oldJwtVerify,
  linkedIssue, linkedVerify, sdToJson, sdFromJson, httpSign, httpVerify,
};
const request = await read();
let answer;
try {
  answer = {ok: true, ...(await commands[request.do](request))};
} catch (error) {
  answer = {ok: false, error: `${error?.name}: ${error?.message ?? error}`.slice(0, 300)};
}
process.stdout.write(JSON.stringify(answer) + '\n', () => process.exit(0));
