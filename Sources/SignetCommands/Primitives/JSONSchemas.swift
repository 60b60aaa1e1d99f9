import FoundationEssentials

/// The JSON Schemas of all outputs, from `Scripts/schema`.
enum JSONSchemas {
    /// Files by name, such as `verify-1`.
    static let files: [String: [UInt8]] = [
        "certificate-1": PackageResources.certificate_1_json,
        "cms-1": PackageResources.cms_1_json,
        "config-1": PackageResources.config_1_json,
        "container-1": PackageResources.container_1_json,
        "convert-1": PackageResources.convert_1_json,
        "crl-1": PackageResources.crl_1_json,
        "csr-1": PackageResources.csr_1_json,
        "doctor-1": PackageResources.doctor_1_json,
        "error-1": PackageResources.error_1_json,
        "evidence-record-1": PackageResources.evidence_record_1_json,
        "extend-1": PackageResources.extend_1_json,
        "field-add-1": PackageResources.field_add_1_json,
        "field-list-1": PackageResources.field_list_1_json,
        "hash-1": PackageResources.hash_1_json,
        "hash-sign-1": PackageResources.hash_sign_1_json,
        "hash-verify-1": PackageResources.hash_verify_1_json,
        "identity-1": PackageResources.identity_1_json,
        "journal-1": PackageResources.journal_1_json,
        "key-1": PackageResources.key_1_json,
        "key-list-1": PackageResources.key_list_1_json,
        "ocsp-1": PackageResources.ocsp_1_json,
        "pdf-1": PackageResources.pdf_1_json,
        "photo-1": PackageResources.photo_1_json,
        "pkcs12-1": PackageResources.pkcs12_1_json,
        "remote-1": PackageResources.remote_1_json,
        "service-key-list-1": PackageResources.service_key_list_1_json,
        "sign-1": PackageResources.sign_1_json,
        "skipped-1": PackageResources.skipped_1_json,
        "summary-1": PackageResources.summary_1_json,
        "timestamp-1": PackageResources.timestamp_1_json,
        "timestamp-reply-1": PackageResources.timestamp_reply_1_json,
        "timestamp-request-1": PackageResources.timestamp_request_1_json,
        "trust-anchors-1": PackageResources.trust_anchors_1_json,
        "trust-list-1": PackageResources.trust_list_1_json,
        "trust-update-1": PackageResources.trust_update_1_json,
        "tsp-serve-1": PackageResources.tsp_serve_1_json,
        "verify-1": PackageResources.verify_1_json,
    ]

    static let names = files.keys.sorted()

    private struct Title: Decodable { let title: String? }

    static func title(of name: String) -> String? {
        files[name].flatMap { try? JSONDecoder().decode(Title.self, from: Data($0)) }?.title
    }
}
