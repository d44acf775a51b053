#ifndef REVEILLE_COPENSSL_SHIM_H
#define REVEILLE_COPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

/* Only what Swift cannot import: function-like macros, variadic functions, constants made by casts,
   and parameter lists whose pointers must stay valid across one call. */

/* EVP */

static inline EVP_PKEY *reveille_openssl_key_from(
    const char *algorithm, OSSL_PARAM_BLD *builder, int selection) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, algorithm, NULL);
    OSSL_PARAM *parameters = context == NULL ? NULL : OSSL_PARAM_BLD_to_param(builder);
    if (parameters != NULL && EVP_PKEY_fromdata_init(context) == 1
        && EVP_PKEY_fromdata(context, &key, selection, parameters) != 1)
        key = NULL;
    OSSL_PARAM_free(parameters);
    EVP_PKEY_CTX_free(context);
    return key;
}

/* A builder keeps pointers to what it is given until the parameters are made from it. */
static inline EVP_PKEY *reveille_openssl_p256_key(
    const unsigned char *point, size_t count, const BIGNUM *scalar) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    if (builder != NULL
        && OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) == 1
        && OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, count) == 1
        && (scalar == NULL
            || OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, scalar) == 1))
        key = reveille_openssl_key_from(
            "EC", builder, scalar == NULL ? EVP_PKEY_PUBLIC_KEY : EVP_PKEY_KEYPAIR);
    OSSL_PARAM_BLD_free(builder);
    return key;
}

static inline EVP_PKEY *reveille_openssl_rsa_public_key(const BIGNUM *modulus, const BIGNUM *exponent) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    if (builder != NULL && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, modulus) == 1
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, exponent) == 1)
        key = reveille_openssl_key_from("RSA", builder, EVP_PKEY_PUBLIC_KEY);
    OSSL_PARAM_BLD_free(builder);
    return key;
}

static inline EVP_PKEY *reveille_openssl_p256_generate(void) {
    return EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
}

// A new RSA key; the exponent is 65537.
static inline EVP_PKEY *reveille_openssl_rsa_generate(unsigned int bits) { return EVP_RSA_gen(bits); }

static inline EVP_MAC_CTX *reveille_openssl_hmac_sha256_new(const unsigned char *key, size_t count) {
    char digest[] = "SHA256";
    OSSL_PARAM parameters[2];
    EVP_MAC *algorithm = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *context = algorithm == NULL ? NULL : EVP_MAC_CTX_new(algorithm);
    EVP_MAC_free(algorithm);
    if (context == NULL) return NULL;
    parameters[0] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0);
    parameters[1] = OSSL_PARAM_construct_end();
    if (EVP_MAC_init(context, key, count, parameters) == 1) return context;
    EVP_MAC_CTX_free(context);
    return NULL;
}

static inline int reveille_openssl_hkdf_sha256(
    const unsigned char *secret, size_t secret_count, const unsigned char *salt, size_t salt_count,
    const unsigned char *info, size_t info_count, unsigned char *output, size_t output_count) {
    char digest[] = "SHA256";
    OSSL_PARAM parameters[5];
    OSSL_PARAM *next = parameters;
    int result;
    EVP_KDF *algorithm = EVP_KDF_fetch(NULL, "HKDF", NULL);
    EVP_KDF_CTX *context = algorithm == NULL ? NULL : EVP_KDF_CTX_new(algorithm);
    EVP_KDF_free(algorithm);
    if (context == NULL) return 0;
    *next++ = OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0);
    *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)secret, secret_count);
    if (salt_count > 0)
        *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, salt_count);
    if (info_count > 0)
        *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, info_count);
    *next = OSSL_PARAM_construct_end();
    result = EVP_KDF_derive(context, output, output_count, parameters);
    EVP_KDF_CTX_free(context);
    return result;
}

/* BIO */

static inline long reveille_openssl_bio_contents(BIO *bio, char **start) {
    return BIO_get_mem_data(bio, start);
}

static inline void reveille_openssl_bio_set_retry_read(BIO *bio) { BIO_set_retry_read(bio); }
static inline void reveille_openssl_bio_clear_retry(BIO *bio) { BIO_clear_retry_flags(bio); }

/* SSL */

static inline int reveille_openssl_ctx_set_minimum(SSL_CTX *context, int version) {
    return SSL_CTX_set_min_proto_version(context, version);
}

static inline int reveille_openssl_ctx_set_maximum(SSL_CTX *context, int version) {
    return SSL_CTX_set_max_proto_version(context, version);
}

static inline long reveille_openssl_ctx_add_mode(SSL_CTX *context, long mode) {
    return SSL_CTX_set_mode(context, mode);
}

static inline long reveille_openssl_ctx_set_session_cache(SSL_CTX *context, long mode) {
    return SSL_CTX_set_session_cache_mode(context, mode);
}

static inline int reveille_openssl_ctx_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

static inline void reveille_openssl_ctx_set_read_ahead(SSL_CTX *context) {
    SSL_CTX_set_read_ahead(context, 1);
}

static inline int reveille_openssl_set_server_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}

static inline int reveille_openssl_set_owner(SSL *ssl, void *owner) {
    return SSL_set_ex_data(ssl, 0, owner);
}

static inline void *reveille_openssl_owner(const SSL *ssl) { return SSL_get_ex_data(ssl, 0); }

static const uint64_t reveille_openssl_options =
    SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE;

#endif
