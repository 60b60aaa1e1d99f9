#define OPENSSL_SUPPRESS_DEPRECATED
#include "COpenSSL.h"

int COpenSSL_oaep_unpad(
    unsigned char *output, const unsigned char *block, int block_count, int count,
    const EVP_MD *hash, const EVP_MD *mask) {
    return RSA_padding_check_PKCS1_OAEP_mgf1(
        output, count, block, block_count, count, NULL, 0, hash, mask);
}

CMS_ContentInfo *COpenSSL_enveloped(const unsigned char *der, long count) {
    const unsigned char *cursor = der;
    CMS_ContentInfo *message = d2i_CMS_ContentInfo(NULL, &cursor, count);
    // Some viewers include trailing bytes in the derivation of a document's key, others do not.
    if (message != NULL && cursor == der + count
        && OBJ_obj2nid(CMS_get0_type(message)) == NID_pkcs7_enveloped)
        return message;
    CMS_ContentInfo_free(message);
    return NULL;
}

int COpenSSL_enveloped_recipient_count(CMS_ContentInfo *message) {
    STACK_OF(CMS_RecipientInfo) *infos = CMS_get0_RecipientInfos(message);
    int count = 0;
    for (int at = 0; at < sk_CMS_RecipientInfo_num(infos); at++) {
        CMS_RecipientInfo *info = sk_CMS_RecipientInfo_value(infos, at);
        count += CMS_RecipientInfo_type(info) == CMS_RECIPINFO_AGREE
            ? sk_CMS_RecipientEncryptedKey_num(CMS_RecipientInfo_kari_get0_reks(info))
            : 1;
    }
    return count;
}

int COpenSSL_enveloped_recipient(
    CMS_ContentInfo *message, int index, X509_NAME **issuer, ASN1_INTEGER **serial,
    ASN1_OCTET_STRING **key) {
    STACK_OF(CMS_RecipientInfo) *infos = CMS_get0_RecipientInfos(message);
    for (int at = 0; at < sk_CMS_RecipientInfo_num(infos); at++) {
        CMS_RecipientInfo *info = sk_CMS_RecipientInfo_value(infos, at);
        *issuer = NULL;
        *serial = NULL;
        *key = NULL;
        switch (CMS_RecipientInfo_type(info)) {
        case CMS_RECIPINFO_TRANS:
            if (index-- == 0)
                return CMS_RecipientInfo_ktri_get0_signer_id(info, key, issuer, serial);
            break;
        case CMS_RECIPINFO_AGREE: {
            STACK_OF(CMS_RecipientEncryptedKey) *keys = CMS_RecipientInfo_kari_get0_reks(info);
            int count = sk_CMS_RecipientEncryptedKey_num(keys);
            if (index < count)
                return CMS_RecipientEncryptedKey_get0_id(
                    sk_CMS_RecipientEncryptedKey_value(keys, index), key, NULL, NULL, issuer,
                    serial);
            index -= count;
            break;
        }
        default: break;
        }
    }
    return 0;
}
